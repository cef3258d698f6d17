func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<300> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%zero, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The counter hits the end only where that is a multiple of the step.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop trip(%m) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
