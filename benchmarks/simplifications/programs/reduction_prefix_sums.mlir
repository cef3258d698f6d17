func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
  }
  func.return %all : tensor<100x4xi64>
}

// -----

// Floats.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
