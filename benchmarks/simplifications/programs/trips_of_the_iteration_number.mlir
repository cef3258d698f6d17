func.func @main(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %done, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// What it is compared with falls at a rate that is data.
func.func @main(%x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %most = ov.constant dense<12.0> : tensor<f32> : tensor<f32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %x_end, %m_end = ov.loop carried(%x, %most) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %m: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %size = ov.abs %w : (tensor<f32>) -> tensor<f32>
    %less = ov.subtract %m, %size : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m_next = ov.subtract %less, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %done = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %again = ov.less %done, %m_next : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %m_next : tensor<f32>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
