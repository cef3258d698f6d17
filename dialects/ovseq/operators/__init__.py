"""The operations of the dialect: one file per family."""
