func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %r, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %r : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %s : tensor<16x16xf32>
}

// -----

// The condition of the second If comes out of the first one.
func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %e = ov.if %c -> (tensor<16x16xf32>, tensor<i1>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %d : tensor<16x16xf32>, tensor<i1>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %c : tensor<16x16xf32>, tensor<i1>
  }
  %s = ov.if %e -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %r, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %r : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %s : tensor<16x16xf32>
}
