"""Operations: a base class, few classes of their own, and a table that the others are made from."""
