func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %s = ov.loop trip(%n) carried(%b) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The loops do different things: only their trips are the same.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %s = ov.loop trip(%n) carried(%b) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
