func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %q = ov.add %p, %one : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %w = ov.multiply %v, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Floats: each product is rounded.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}
