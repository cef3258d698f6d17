func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %p_next = ov.add %q, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q_next = ov.multiply %p, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %p_next, %q_next : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// One value of the cycle is a result.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %p_next = ov.add %q, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q_next = ov.multiply %p, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %p_next, %q_next : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %t : tensor<4xf32>, tensor<4xf32>
}
