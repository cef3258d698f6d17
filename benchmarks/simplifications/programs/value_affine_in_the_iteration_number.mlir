func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The step is the other carried value.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %size = ov.subtract %f, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.maximum %size, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %step = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %r : tensor<f32>
}
