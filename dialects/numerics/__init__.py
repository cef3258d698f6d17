"""What several operations' `evaluate` share: numpy arithmetic in the types' own rules, and bounded memory."""
