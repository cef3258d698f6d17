"""Legality rules of the stages, and their verification."""
