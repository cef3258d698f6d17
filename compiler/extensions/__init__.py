"""What other packages add to loomir: operators, what nodes and layers mean, transformations (`extension.py`), and how it is found
(`loading.py`)."""
