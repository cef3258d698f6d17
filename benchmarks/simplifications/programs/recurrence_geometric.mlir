func.func @main(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %w = ov.multiply %v, %b : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// Floats: each product is rounded.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
