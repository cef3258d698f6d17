func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %last = ov.equal %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %last -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The iteration whose square is the trip count differs.
func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %square = ov.multiply %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %found = ov.equal %square, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %found -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
