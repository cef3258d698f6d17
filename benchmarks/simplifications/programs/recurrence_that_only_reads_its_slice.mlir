func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// A condition on the slice may end the loop: which trip is the last one is data.
func.func @main(%x: tensor<100x1xf32>, %a: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x1xf32>):
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %e = ov.exp %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %m = ov.multiply %e, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %w = ov.tanh %m : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %half = ov.constant dense<0.001> : tensor<1x1xf32> : tensor<1x1xf32>
    %c = ov.greater %w, %half : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %again = ov.reshape %c, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1x1xf32>)
  }
  func.return %r : tensor<1x1xf32>
}
