"""Names of the Model Optimizer's own transformations.

Extensions run before and after these.
"""
