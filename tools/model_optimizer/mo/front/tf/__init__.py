"""Parts of TensorFlow extensions that other frameworks share.

They are replacements from files, and helpers that create operations.
"""
