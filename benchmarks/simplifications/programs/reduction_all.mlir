func.func @main(%x: tensor<100x4xi1>, %a: tensor<1x4xi1>) -> tensor<1x4xi1> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi1>) -> tensor<1x4xi1> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi1>):
    %w = ov.logical_and %v, %p : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    ov.next carried(%w : tensor<1x4xi1>)
  }
  func.return %r : tensor<1x4xi1>
}

// -----

// An implication: the parts cannot be grouped in another way.
func.func @main(%x: tensor<100x4xi1>, %a: tensor<1x4xi1>) -> (tensor<1x4xi1>, tensor<100x4xi1>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi1>) -> (tensor<1x4xi1>, tensor<100x4xi1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi1>):
    %h = ov.logical_not %v : (tensor<1x4xi1>) -> tensor<1x4xi1>
    %w = ov.logical_or %h, %p : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    ov.next carried(%w : tensor<1x4xi1>) concat(%w : tensor<1x4xi1>)
  }
  func.return %r, %all : tensor<1x4xi1>, tensor<100x4xi1>
}
