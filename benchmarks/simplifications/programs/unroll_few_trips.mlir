func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%four) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Ten thousand trips would be ten thousand copies.
func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %many = ov.constant dense<10000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%many) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
