"""Operations: a base class, a few individual classes, and a table.

The other classes are created from the table.
"""
