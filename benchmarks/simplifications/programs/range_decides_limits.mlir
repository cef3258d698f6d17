func.func @main(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %trips = ov.minimum %n, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%trips) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %lower = ov.maximum %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.minimum %lower, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// The position is data.
func.func @main(%n: tensor<i64>, %x: tensor<8xf32>, %y: tensor<8xi64>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %trips = ov.minimum %n, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%trips) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %lower = ov.maximum %p, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.minimum %lower, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
