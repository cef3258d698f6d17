func.func @main(%c: tensor<i1>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %q = ov.mat_mul %a, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Only one arm has it: outside it would stop runs that do not take this arm.
func.func @main(%c: tensor<i1>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %q = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
