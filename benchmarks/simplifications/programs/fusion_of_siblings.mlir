func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  %s = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
    %p = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// The second loop begins with what the first one ends with.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  %s = ov.loop trip(%n) carried(%r) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
    %p = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
