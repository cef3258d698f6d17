"""Random programs, and what they show about the compiler."""
