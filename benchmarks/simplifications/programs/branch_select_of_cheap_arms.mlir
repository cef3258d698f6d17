func.func @main(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    %p = ov.subtract %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// One arm may fail: a position from the input.
func.func @main(%c: tensor<i1>, %k: tensor<i64>, %x: tensor<4xf32>, %a: tensor<f32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    ov.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}
