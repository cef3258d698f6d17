func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %v_end, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.exp %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
  }
  func.return %v_end, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// The recurrence reads the other part, and the other part the recurrence.
func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %v_end, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %t = ov.multiply %q, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.exp %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.add %r, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
  }
  func.return %v_end, %all : tensor<1x4xf32>, tensor<100x4xf32>
}
