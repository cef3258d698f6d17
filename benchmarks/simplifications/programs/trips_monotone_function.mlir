func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<500> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %square = ov.multiply %done, %done : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %square, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The square is of data.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %most = ov.constant dense<500.0> : tensor<f32> : tensor<f32>
  %x_end = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %square = ov.multiply %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.add %square, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
