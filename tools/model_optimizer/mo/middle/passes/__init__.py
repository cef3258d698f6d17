"""Steps of the phases between transformations."""
