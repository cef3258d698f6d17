func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %b : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// It is handed on as what the iteration made.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = ov.add %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
