func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// -----

// The second loop begins at the end.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}
