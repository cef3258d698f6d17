"""What several phases use."""
