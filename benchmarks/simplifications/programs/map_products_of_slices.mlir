func.func @main(%x: tensor<100x4x8xf32>, %y: tensor<100x8x4xf32>) -> tensor<100x4x4xf32> {
  %all = ov.loop sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x4x8xf32>, tensor<100x8x4xf32>) -> tensor<100x4x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4x8xf32>, %q: tensor<1x8x4xf32>):
    %r = ov.mat_mul %p, %q : (tensor<1x4x8xf32>, tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
    ov.next concat(%r : tensor<1x4x4xf32>)
  }
  func.return %all : tensor<100x4x4xf32>
}

// -----

// The product of all: each factor is multiplied with those before.
func.func @main(%x: tensor<100x4x4xf32>, %y: tensor<1x4x4xf32>) -> tensor<100x4x4xf32> {
  %v_end, %all = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4x4xf32>, tensor<100x4x4xf32>) -> (tensor<1x4x4xf32>, tensor<100x4x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4x4xf32>, %p: tensor<1x4x4xf32>):
    %s = ov.mat_mul %v, %p : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %r = ov.tanh %s : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    ov.next carried(%r : tensor<1x4x4xf32>) concat(%r : tensor<1x4x4xf32>)
  }
  func.return %all : tensor<100x4x4xf32>
}
