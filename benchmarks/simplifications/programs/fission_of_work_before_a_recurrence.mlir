func.func @main(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %r = ov.relu %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %v, %r : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w : tensor<1x16xf32>)
  }
  func.return %v_end : tensor<1x16xf32>
}

// -----

// The product reads the state.
func.func @main(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %q = ov.add %p, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %q : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %r = ov.relu %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %v, %r : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w : tensor<1x16xf32>)
  }
  func.return %v_end : tensor<1x16xf32>
}
