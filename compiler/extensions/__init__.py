"""Extensions of loomir by other packages.

They add operators, meanings of nodes and layers, and transformations (`extension.py`); `loading.py` finds them.
"""
