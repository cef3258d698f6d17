func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// The second loop begins at the end of what the first one joins.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t, %all : tensor<1x4xf32>, tensor<100x4xf32>
}
