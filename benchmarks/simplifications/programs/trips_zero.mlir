func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %none = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %x_end = ov.loop trip(%none) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The trip count may be 0.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}
