"""Rows of the table of operations, a file per family."""
