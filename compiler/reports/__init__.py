"""Reports about a program."""
