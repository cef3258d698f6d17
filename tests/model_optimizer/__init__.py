"""Fixtures with the Model Optimizer's results for small models.

`make_cutting_fixtures.py` runs the Model Optimizer; tests read the results.
"""
