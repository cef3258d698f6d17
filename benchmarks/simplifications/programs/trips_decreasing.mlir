func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %go = ov.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%n, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.subtract %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.greater %k_next, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The step is an input: where it is 0 the condition never ends the loop.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %go = ov.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop trip(%m) while(%go) carried(%n, %x) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.subtract %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.greater %k_next, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
