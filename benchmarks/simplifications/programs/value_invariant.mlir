func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %u : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// It is handed on changed.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = ov.abs %u : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
