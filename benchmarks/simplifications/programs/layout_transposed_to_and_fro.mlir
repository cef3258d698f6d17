func.func @main(%n: tensor<i64>, %x: tensor<8x16xf32>, %a: tensor<16x8xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %m = ov.multiply %t, %a : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %back = ov.transpose %w, %order : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%back : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}

// -----

// The order of three axes is moved twice: that is not the order before.
func.func @main(%n: tensor<i64>, %x: tensor<4x4x4xf32>, %a: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %order = ov.constant dense<[1, 2, 0]> : tensor<3xi64> : tensor<3xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4x4x4xf32>):
    %t = ov.transpose %v, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
    %m = ov.multiply %t, %a : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %w = ov.tanh %m : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %back = ov.transpose %w, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
    ov.next carried(%back : tensor<4x4x4xf32>)
  }
  func.return %r : tensor<4x4x4xf32>
}
