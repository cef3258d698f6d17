"""What extensions of all frameworks import from Caffe's."""
