func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %w = ov.mat_mul %v, %s : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// One arm reads the carried value.
func.func @main(%n: tensor<i64>, %k: tensor<16xi1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %d = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<16xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %w = ov.mat_mul %v, %s : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
