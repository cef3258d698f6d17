func.func @main(%x: tensor<100x4xf32>, %b: tensor<100x2xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x, %b) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x2xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x2xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// The slice that nothing reads is the only one: it says how often the loop runs.
func.func @main(%b: tensor<100x2xf32>, %a: tensor<1x4xf32>, %x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%b) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x2xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x2xf32>):
    %w = ov.subtract %x, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}
