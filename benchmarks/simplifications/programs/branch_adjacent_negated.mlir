func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %n -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// The negation is of another condition.
func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %n = ov.logical_not %d : (tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %n -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}
