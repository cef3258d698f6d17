func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %k_end, %r : tensor<i64>, tensor<4xf32>
}

// -----

// A condition on data ends the loop: how often it ran only the run knows.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>, %most: tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %k_end, %r : tensor<i64>, tensor<f32>
}
