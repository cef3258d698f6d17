func.func @main(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// One arm is a product of matrices, which only half of the runs need.
func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    ov.yield %a : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
