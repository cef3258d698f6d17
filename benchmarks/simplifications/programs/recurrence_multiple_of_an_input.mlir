func.func @main(%n: tensor<i64>, %x: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %w = ov.add %v, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// -----

// Floats: n additions of b are rounded n times, a product once.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
