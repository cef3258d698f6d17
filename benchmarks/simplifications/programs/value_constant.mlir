func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%two, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %less = ov.subtract %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.add %less, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// What is taken away is not what is added.
func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%two, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %less = ov.multiply %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.subtract %less, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
