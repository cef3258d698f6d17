"""The front phase of all frameworks."""
