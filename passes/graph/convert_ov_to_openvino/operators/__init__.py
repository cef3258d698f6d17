"""How operations are expressed that no operation set has: one file per family, as the operations are (`expressing.py`)."""
