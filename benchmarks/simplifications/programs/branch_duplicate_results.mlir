func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// The results differ in one arm.
func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %x : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}
