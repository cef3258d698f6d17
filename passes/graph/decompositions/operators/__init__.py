"""The decompositions: one file per operator family, named as in `dialects/ov/operators`."""
