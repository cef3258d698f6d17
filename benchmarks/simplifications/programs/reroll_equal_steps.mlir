func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %p1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v1 = ov.tanh %p1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p2 = ov.mat_mul %v1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v2 = ov.tanh %p2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p3 = ov.mat_mul %v2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v3 = ov.tanh %p3 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p4 = ov.mat_mul %v3, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v4 = ov.tanh %p4 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p5 = ov.mat_mul %v4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v5 = ov.tanh %p5 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p6 = ov.mat_mul %v5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v6 = ov.tanh %p6 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p7 = ov.mat_mul %v6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v7 = ov.tanh %p7 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p8 = ov.mat_mul %v7, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v8 = ov.tanh %p8 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p9 = ov.mat_mul %v8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v9 = ov.tanh %p9 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p10 = ov.mat_mul %v9, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v10 = ov.tanh %p10 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p11 = ov.mat_mul %v10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v11 = ov.tanh %p11 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p12 = ov.mat_mul %v11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v12 = ov.tanh %p12 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %v12 : tensor<16x16xf32>
}

// -----

// The functions alternate without a period.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %p1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v1 = ov.tanh %p1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p2 = ov.mat_mul %v1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c2 = ov.minimum %p2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v2 = ov.exp %c2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p3 = ov.mat_mul %v2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v3 = ov.tanh %p3 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p4 = ov.mat_mul %v3, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v4 = ov.tanh %p4 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p5 = ov.mat_mul %v4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c5 = ov.minimum %p5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v5 = ov.exp %c5 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p6 = ov.mat_mul %v5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c6 = ov.minimum %p6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v6 = ov.exp %c6 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p7 = ov.mat_mul %v6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v7 = ov.tanh %p7 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p8 = ov.mat_mul %v7, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c8 = ov.minimum %p8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v8 = ov.exp %c8 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p9 = ov.mat_mul %v8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v9 = ov.tanh %p9 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p10 = ov.mat_mul %v9, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c10 = ov.minimum %p10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v10 = ov.exp %c10 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p11 = ov.mat_mul %v10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c11 = ov.minimum %p11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v11 = ov.exp %c11 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p12 = ov.mat_mul %v11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v12 = ov.tanh %p12 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %v12 : tensor<16x16xf32>
}
