func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The remainder must not read what only a whole round may.
func.func @main(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<16xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %g = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.subtract %g, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
