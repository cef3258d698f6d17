func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %s : tensor<16x16xf32>
}

// -----

// The result is used, and one arm may stop the program.
func.func @main(%c: tensor<i1>, %k: tensor<1xi64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<1xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.yield %p : tensor<1xf32>
  } else {
    %q = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
    ov.yield %q : tensor<1xf32>
  }
  %s = ov.add %x, %r : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}
