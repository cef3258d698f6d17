"""What a program of a stage may hold, and whether it does."""
