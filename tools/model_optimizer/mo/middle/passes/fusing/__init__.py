"""Searches for neighbours of operations."""
