func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// It counts the iterations in which something held.
func.func @main(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.subtract %f, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %held = ov.less %w, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = ov.convert %held {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %k_next = ov.add %k, %more : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %r : tensor<f32>
}
