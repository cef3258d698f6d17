"""Helpers shared by the extractors of several frameworks."""
