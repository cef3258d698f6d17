func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %trips = ov.constant dense<1003> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A condition on data may end the loop in the middle of four copies.
func.func @main(%x: tensor<f32>, %a: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  %trips = ov.constant dense<1003> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.subtract %a, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
