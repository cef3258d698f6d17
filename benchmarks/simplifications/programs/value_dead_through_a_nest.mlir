func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w, %z = ov.loop trip(%m) carried(%v, %u) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %v1: tensor<4xf32>, %u1: tensor<4xf32>):
      %w1 = ov.multiply %v1, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %z1 = ov.add %u1, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w1, %z1 : tensor<4xf32>, tensor<4xf32>)
    }
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The other carried value reads it.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w, %z = ov.loop trip(%m) carried(%v, %u) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %v1: tensor<4xf32>, %u1: tensor<4xf32>):
      %w1 = ov.multiply %v1, %u1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %z1 = ov.add %u1, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w1, %z1 : tensor<4xf32>, tensor<4xf32>)
    }
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
