func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w1 = ov.constant dense<[-0.125, 0.125, -0.625, 0.5, 0.875, -0.5, -0.75, -0.75, -1.0, 0.5, 0.125, -0.875, -0.125, 1.0, 0.375, 0.0]> : tensor<16xf32> : tensor<16xf32>
  %p1 = ov.multiply %x, %w1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v1 = ov.tanh %p1 : (tensor<16xf32>) -> tensor<16xf32>
  %w2 = ov.constant dense<[-0.375, -0.625, 0.0, -0.25, -1.0, 0.0, 0.0, -0.25, -0.375, 0.125, 0.125, 0.375, -0.75, 0.25, 0.5, 1.0]> : tensor<16xf32> : tensor<16xf32>
  %p2 = ov.multiply %v1, %w2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v2 = ov.tanh %p2 : (tensor<16xf32>) -> tensor<16xf32>
  %w3 = ov.constant dense<[-0.125, -0.375, -0.125, 0.875, 0.0, -0.75, 0.125, -1.0, 0.125, 0.125, 1.0, -0.25, 0.625, 0.625, 0.125, 0.625]> : tensor<16xf32> : tensor<16xf32>
  %p3 = ov.multiply %v2, %w3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v3 = ov.tanh %p3 : (tensor<16xf32>) -> tensor<16xf32>
  %w4 = ov.constant dense<[0.75, -0.375, -0.125, 0.125, 0.0, -0.875, -0.75, -0.875, 0.75, 0.0, 1.0, 0.875, 0.25, -0.5, -0.25, -0.75]> : tensor<16xf32> : tensor<16xf32>
  %p4 = ov.multiply %v3, %w4 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v4 = ov.tanh %p4 : (tensor<16xf32>) -> tensor<16xf32>
  %w5 = ov.constant dense<[0.625, -0.25, 0.75, 0.0, -0.375, 0.375, 0.625, 0.25, -0.25, 0.25, -0.625, -0.875, -0.125, 0.0, -0.125, -0.625]> : tensor<16xf32> : tensor<16xf32>
  %p5 = ov.multiply %v4, %w5 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v5 = ov.tanh %p5 : (tensor<16xf32>) -> tensor<16xf32>
  %w6 = ov.constant dense<[0.25, -0.375, 0.125, 0.75, -1.0, -0.875, 0.375, -0.75, 0.125, 0.25, -1.0, 0.25, 0.125, 0.25, -0.5, 0.625]> : tensor<16xf32> : tensor<16xf32>
  %p6 = ov.multiply %v5, %w6 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v6 = ov.tanh %p6 : (tensor<16xf32>) -> tensor<16xf32>
  %w7 = ov.constant dense<[-0.75, 0.125, -0.25, 0.75, 0.125, -0.5, 0.0, 0.5, -0.375, 0.25, -1.0, 0.375, -0.875, 0.75, -0.375, 0.375]> : tensor<16xf32> : tensor<16xf32>
  %p7 = ov.multiply %v6, %w7 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v7 = ov.tanh %p7 : (tensor<16xf32>) -> tensor<16xf32>
  %w8 = ov.constant dense<[0.375, 0.125, -0.625, 0.75, -0.25, 0.625, -0.25, -0.625, -0.875, -0.875, -0.875, -0.375, -0.5, -0.875, 0.875, -0.125]> : tensor<16xf32> : tensor<16xf32>
  %p8 = ov.multiply %v7, %w8 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v8 = ov.tanh %p8 : (tensor<16xf32>) -> tensor<16xf32>
  %w9 = ov.constant dense<[0.25, -0.875, -0.625, 1.0, 0.125, 0.625, -0.25, 0.875, -0.25, -0.125, 0.75, 0.625, 0.875, -0.875, -0.125, 0.625]> : tensor<16xf32> : tensor<16xf32>
  %p9 = ov.multiply %v8, %w9 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v9 = ov.tanh %p9 : (tensor<16xf32>) -> tensor<16xf32>
  %w10 = ov.constant dense<[0.75, -0.125, 0.625, -0.25, 0.875, -0.25, -0.875, -0.875, 0.0, 0.0, -0.125, 1.0, -0.25, -0.125, 0.625, 0.0]> : tensor<16xf32> : tensor<16xf32>
  %p10 = ov.multiply %v9, %w10 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v10 = ov.tanh %p10 : (tensor<16xf32>) -> tensor<16xf32>
  %w11 = ov.constant dense<[-0.5, 0.25, -0.875, 0.25, -0.625, 0.5, -0.875, 0.875, 0.5, -0.75, 0.625, -0.25, -0.375, 0.25, 0.125, 0.875]> : tensor<16xf32> : tensor<16xf32>
  %p11 = ov.multiply %v10, %w11 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v11 = ov.tanh %p11 : (tensor<16xf32>) -> tensor<16xf32>
  %w12 = ov.constant dense<[0.25, 0.625, 1.0, -0.25, 0.0, 0.25, 0.5, 0.875, -0.75, 0.0, -0.25, -0.875, 0.5, -0.5, 0.0, -0.875]> : tensor<16xf32> : tensor<16xf32>
  %p12 = ov.multiply %v11, %w12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v12 = ov.tanh %p12 : (tensor<16xf32>) -> tensor<16xf32>
  func.return %v12 : tensor<16xf32>
}

// -----

// Each step has other operations, and a weight made of the step before.
func.func @main(%x: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %w1 = ov.exp %b : (tensor<16xf32>) -> tensor<16xf32>
  %d1 = ov.subtract %w1, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p1 = ov.maximum %x, %d1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v1 = ov.abs %p1 : (tensor<16xf32>) -> tensor<16xf32>
  %w2 = ov.exp %v1 : (tensor<16xf32>) -> tensor<16xf32>
  %d2 = ov.subtract %w2, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p2 = ov.minimum %v1, %d2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v2 = ov.tanh %p2 : (tensor<16xf32>) -> tensor<16xf32>
  %w3 = ov.exp %v2 : (tensor<16xf32>) -> tensor<16xf32>
  %d3 = ov.multiply %w3, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p3 = ov.minimum %v2, %d3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v3 = ov.tanh %p3 : (tensor<16xf32>) -> tensor<16xf32>
  %w4 = ov.exp %v3 : (tensor<16xf32>) -> tensor<16xf32>
  %d4 = ov.subtract %w4, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p4 = ov.maximum %v3, %d4 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v4 = ov.tanh %p4 : (tensor<16xf32>) -> tensor<16xf32>
  %w5 = ov.exp %v4 : (tensor<16xf32>) -> tensor<16xf32>
  %d5 = ov.subtract %w5, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p5 = ov.maximum %v4, %d5 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v5 = ov.abs %p5 : (tensor<16xf32>) -> tensor<16xf32>
  %w6 = ov.exp %v5 : (tensor<16xf32>) -> tensor<16xf32>
  %d6 = ov.multiply %w6, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p6 = ov.maximum %v5, %d6 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v6 = ov.abs %p6 : (tensor<16xf32>) -> tensor<16xf32>
  %w7 = ov.exp %v6 : (tensor<16xf32>) -> tensor<16xf32>
  %d7 = ov.subtract %w7, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p7 = ov.minimum %v6, %d7 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v7 = ov.tanh %p7 : (tensor<16xf32>) -> tensor<16xf32>
  %w8 = ov.exp %v7 : (tensor<16xf32>) -> tensor<16xf32>
  %d8 = ov.subtract %w8, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p8 = ov.minimum %v7, %d8 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v8 = ov.tanh %p8 : (tensor<16xf32>) -> tensor<16xf32>
  %w9 = ov.exp %v8 : (tensor<16xf32>) -> tensor<16xf32>
  %d9 = ov.multiply %w9, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p9 = ov.maximum %v8, %d9 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v9 = ov.tanh %p9 : (tensor<16xf32>) -> tensor<16xf32>
  %w10 = ov.exp %v9 : (tensor<16xf32>) -> tensor<16xf32>
  %d10 = ov.subtract %w10, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p10 = ov.maximum %v9, %d10 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v10 = ov.abs %p10 : (tensor<16xf32>) -> tensor<16xf32>
  %w11 = ov.exp %v10 : (tensor<16xf32>) -> tensor<16xf32>
  %d11 = ov.subtract %w11, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p11 = ov.minimum %v10, %d11 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v11 = ov.tanh %p11 : (tensor<16xf32>) -> tensor<16xf32>
  %w12 = ov.exp %v11 : (tensor<16xf32>) -> tensor<16xf32>
  %d12 = ov.multiply %w12, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p12 = ov.maximum %v11, %d12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v12 = ov.tanh %p12 : (tensor<16xf32>) -> tensor<16xf32>
  func.return %v12 : tensor<16xf32>
}
