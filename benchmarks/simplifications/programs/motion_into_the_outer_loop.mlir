func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %u, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The operand is carried by both loops.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
