func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The last operations differ.
func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
