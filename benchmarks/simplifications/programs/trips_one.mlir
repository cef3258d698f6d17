func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %done, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// At least one iteration, but perhaps more.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
