func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %go = ov.less %five, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %x_end = ov.loop trip(%n) while(%go) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The condition before the loop is an input.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %x_end = ov.loop trip(%n) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
