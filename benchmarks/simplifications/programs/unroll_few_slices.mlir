func.func @main(%x: tensor<3x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Five thousand slices.
func.func @main(%x: tensor<5000x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5000x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}
