"""What is told of a program."""
