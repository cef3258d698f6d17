func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The chain begins with the iteration number.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %s = ov.multiply %a, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
