func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A number that is data, not the iterations done, is compared with the trip count.
func.func @main(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %whole = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %again = ov.less_equal %whole, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
