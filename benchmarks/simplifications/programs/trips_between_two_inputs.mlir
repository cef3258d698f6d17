func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %go = ov.less_equal %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%n, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %four : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %k_next, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Before the first iteration another condition is asked.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %c: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop trip(%m) while(%c) carried(%n, %x) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %four : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
