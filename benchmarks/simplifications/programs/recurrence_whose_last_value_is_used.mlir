func.func @main(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end, %y_end = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end : tensor<1x16xf32>
}

// -----

// The next trip reads it.
func.func @main(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end, %y_end = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %t = ov.subtract %s, %y : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end : tensor<1x16xf32>
}
