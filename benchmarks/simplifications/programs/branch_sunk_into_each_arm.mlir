func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = ov.tanh %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %t, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Both arms use both values.
func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = ov.tanh %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %t, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
