func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %m = ov.multiply %b, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Where a flag is false the value before is kept.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>, %flags: tensor<8xi1>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %m = ov.multiply %b, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %t = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    %c = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.select %c, %t, %v : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
