"""Expression of operations that no operation set has.

There is one file per family, as for the operations (`expressing.py`).
"""
