func.func @main(%n: tensor<i64>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The positions are of the iteration.
func.func @main(%n: tensor<i64>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %l = ov.subtract %k, %i : (tensor<16xi64>, tensor<i64>) -> tensor<16xi64>
    %g = ov.gather %v, %l, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
