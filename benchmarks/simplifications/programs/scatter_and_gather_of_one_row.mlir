func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %v_end, %table = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    %row = ov.gather_nd %w, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %e = ov.exp %row : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %w : tensor<1x4xf32>, tensor<100x4xf32>)
  }
  func.return %v_end, %table : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// The row that is read is another one, or the same: its place is data.
func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>, %z: tensor<100x1xi64>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %v_end, %table = ov.loop carried(%a, %y) sliced(%x, %z) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>, tensor<100x1xi64>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x1xi64>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    %row = ov.gather_nd %w, %q : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %e = ov.exp %row : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %w : tensor<1x4xf32>, tensor<100x4xf32>)
  }
  func.return %v_end, %table : tensor<1x4xf32>, tensor<100x4xf32>
}
