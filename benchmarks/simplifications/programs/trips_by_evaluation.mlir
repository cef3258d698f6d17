func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %prime = ov.constant dense<101> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%one, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %thrice = ov.multiply %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.floor_mod %thrice, %prime : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Where it begins is an input.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %prime = ov.constant dense<101> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%n, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %thrice = ov.multiply %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.floor_mod %thrice, %prime : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
