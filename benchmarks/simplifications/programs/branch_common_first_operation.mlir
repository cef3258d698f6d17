func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %a, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The arms take exponentials of different values.
func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %x, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
