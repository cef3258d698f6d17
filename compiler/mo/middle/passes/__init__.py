"""What phases do between transformations."""
