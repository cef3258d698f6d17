"""Code shared by the `evaluate` of several operations.

Numpy arithmetic with the types' own rules, and bounded memory.
"""
