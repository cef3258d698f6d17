"""C, written."""
