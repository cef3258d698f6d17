"""What TensorFlow's extensions share with others: replacements from files, helpers that create operations."""
