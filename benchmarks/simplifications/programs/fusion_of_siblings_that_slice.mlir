func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %t : tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// A condition on its own data may end the second loop: the trips differ.
func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>, %most: tensor<f32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.reduce_max %w, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
    %again = ov.less %m, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %t : tensor<1x4xf32>, tensor<1x4xf32>
}
