func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.logical_or %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A part of a conjunction.
func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
