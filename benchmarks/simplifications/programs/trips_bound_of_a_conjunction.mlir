func.func @main(%n: tensor<i64>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and %within, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// A disjunction: the counter bounds nothing.
func.func @main(%n: tensor<i64>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_or %within, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
