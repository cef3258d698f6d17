"""What the Model Optimizer makes of small models, kept as fixtures: `make_cutting_fixtures.py` runs it, tests read what it left."""
