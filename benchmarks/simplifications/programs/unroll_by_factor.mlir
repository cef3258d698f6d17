func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A condition on data may end the loop in the middle of four copies, each of which has a slice.
func.func @main(%x: tensor<1000xf32>, %a: tensor<1xf32>, %most: tensor<f32>) -> tensor<1xf32> {
  %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1xf32>, tensor<1000xf32>) -> tensor<1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>, %p: tensor<1xf32>):
    %w = ov.subtract %p, %v : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %s = ov.reduce_sum %w, %front : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
    %again = ov.less %s, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1xf32>)
  }
  func.return %r : tensor<1xf32>
}
