func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.abs %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// What is carried is the difference.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.multiply %p, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%q : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
