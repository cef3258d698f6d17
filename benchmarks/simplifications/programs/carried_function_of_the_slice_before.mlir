func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %v, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %q : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// The function is also one of the state.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %f = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %f : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %v, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %q : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
