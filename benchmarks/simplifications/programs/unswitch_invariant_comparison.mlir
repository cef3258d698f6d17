func.func @main(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What is compared is a number at a place that each trip changes.
func.func @main(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %y: tensor<8xi64>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r, %k_end = ov.loop trip(%n) carried(%x, %k) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<i64>):
    %at = ov.bitwise_and %u, %seven : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %number = ov.gather %y, %at, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.less %number, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %u_next = ov.add %u, %number : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%q, %u_next : tensor<16x16xf32>, tensor<i64>)
  }
  func.return %r : tensor<16x16xf32>
}
