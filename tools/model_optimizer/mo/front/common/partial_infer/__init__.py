"""Shapes and values: arrays, and inference that operations share."""
