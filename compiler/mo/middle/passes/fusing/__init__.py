"""What looks for neighbours of operations."""
