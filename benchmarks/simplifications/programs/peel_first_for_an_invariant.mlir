func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %e = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %w = ov.mat_mul %v, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %b : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// It is another value in each iteration.
func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %e = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %w = ov.mat_mul %v, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %v : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
