func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The inner loop runs for as long as the outer one has.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%i) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
