func.func @main(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.add %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// -----

// Floats: from 2^24 on the sums are rounded.
func.func @main(%n: tensor<i64>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %number : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
