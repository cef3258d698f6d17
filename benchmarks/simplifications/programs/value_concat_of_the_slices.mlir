func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%p : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// What is joined is the greatest part so far.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<100x4xf32>
}
