"""Loaders of frameworks."""
