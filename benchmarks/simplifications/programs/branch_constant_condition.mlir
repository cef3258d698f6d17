func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %c = ov.less %two, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// One side of the comparison is an input.
func.func @main(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
