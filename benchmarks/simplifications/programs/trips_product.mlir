func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<1000000> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%one, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.multiply %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The factor is an input: it may be 1.
func.func @main(%m: tensor<i64>, %s: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<1000000> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop trip(%m) carried(%one, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.multiply %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
