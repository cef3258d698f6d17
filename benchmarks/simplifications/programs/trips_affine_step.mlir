func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// How far the counter goes is data.
func.func @main(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.multiply %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %size = ov.abs %w : (tensor<f32>) -> tensor<f32>
    %whole = ov.convert %size {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %step = ov.add %whole, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
