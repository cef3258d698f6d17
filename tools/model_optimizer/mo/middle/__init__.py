"""The middle phase: data nodes with shapes and values."""
