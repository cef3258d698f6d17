func.func @main(%x: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %q = ov.abs %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Each part is multiplied with the result of the part before.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%r : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
