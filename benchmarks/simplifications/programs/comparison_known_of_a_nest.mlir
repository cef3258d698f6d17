func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %s = ov.loop trip(%i) carried(%v) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<16x16xf32>):
      %within = ov.less %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w = ov.if %within -> (tensor<16x16xf32>) {
        %p = ov.mat_mul %u, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      } else {
        %p = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      }
      %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%e : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The inner loop runs for as long as the data says.
func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %k: tensor<8xi64>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.gather %k, %i, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<16x16xf32>):
      %number = ov.gather %k, %j, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %within = ov.less %number, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w = ov.if %within -> (tensor<16x16xf32>) {
        %p = ov.mat_mul %u, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      } else {
        %p = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      }
      %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%e : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
