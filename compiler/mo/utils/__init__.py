"""Utilities of several phases."""
