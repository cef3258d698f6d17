"""What extensions import from the front phase of Caffe though it is about nothing of Caffe."""
