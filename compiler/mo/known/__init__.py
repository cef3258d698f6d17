"""Names of the Model Optimizer's own transformations, which extensions come before and after."""
