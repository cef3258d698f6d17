"""Names that extensions of all frameworks import from Caffe's package."""
