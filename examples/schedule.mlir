transform.named_sequence @__transform_main(%program: !transform.any_op) {
  %smooth = ov_transform.loop "TensorIterator_9" in %program
  ov_transform.unroll %smooth
  %settle = ov_transform.loop "Loop_45" in %program
  ov_transform.peel %settle
  transform.yield
}
