"""What extractors of several frameworks share."""
