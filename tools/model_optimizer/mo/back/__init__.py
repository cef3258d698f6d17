"""The back phase: operations become those of an operation set."""
