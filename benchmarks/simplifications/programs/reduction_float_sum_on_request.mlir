func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Each sum is rounded to a float of 16 bits: that is no order of additions.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %h = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %short = ov.convert %h {destination_type = f16} : (tensor<1x4xf32>) -> tensor<1x4xf16>
    %w = ov.convert %short {destination_type = f32} : (tensor<1x4xf16>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}
