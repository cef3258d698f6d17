func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %done = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %first: tensor<i1>):
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %done : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What the flag becomes is data.
func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<8xi1>) -> tensor<16x16xf32> {
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %first: tensor<i1>):
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next carried(%q, %flag : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}
