func.func @main(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop trip(%one) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %w = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%w : tensor<16x16xf32>)
  }
  func.return %x_end : tensor<16x16xf32>
}

// -----

// The condition is asked again, and no trip count ends the loop.
func.func @main(%c: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %x_end = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
