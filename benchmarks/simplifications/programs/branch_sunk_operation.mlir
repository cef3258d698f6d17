func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The value is used behind the If as well.
func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %e : tensor<16x16xf32>, tensor<16x16xf32>
}
