func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %w, %z = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.mat_mul %u, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ov.next carried(%w, %z : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// One arm mixes it into what is used.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %w, %z = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.mat_mul %u, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ov.next carried(%w, %z : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
