"""How extractors of Caffe read a layer."""
