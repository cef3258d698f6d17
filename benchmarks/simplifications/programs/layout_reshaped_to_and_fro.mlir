func.func @main(%n: tensor<i64>, %x: tensor<64xf32>, %a: tensor<8x8xf32>) -> tensor<64xf32> {
  %square = ov.constant dense<[8, 8]> : tensor<2xi64> : tensor<2xi64>
  %flat = ov.constant dense<[64]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>):
    %t = ov.reshape %v, %square : (tensor<64xf32>, tensor<2xi64>) -> tensor<8x8xf32>
    %m = ov.mat_mul %t, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %w = ov.tanh %m : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %back = ov.reshape %w, %flat : (tensor<8x8xf32>, tensor<1xi64>) -> tensor<64xf32>
    ov.next carried(%back : tensor<64xf32>)
  }
  func.return %r : tensor<64xf32>
}

// -----

// Between the reshapes the axes are exchanged: a trip moves the elements.
func.func @main(%n: tensor<i64>, %x: tensor<32xf32>, %a: tensor<4x8xf32>) -> tensor<32xf32> {
  %wide = ov.constant dense<[4, 8]> : tensor<2xi64> : tensor<2xi64>
  %flat = ov.constant dense<[32]> : tensor<1xi64> : tensor<1xi64>
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<32xf32>):
    %t = ov.reshape %v, %wide : (tensor<32xf32>, tensor<2xi64>) -> tensor<4x8xf32>
    %m = ov.multiply %t, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %w = ov.tanh %m : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %back = ov.transpose %w, %order : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
    %f = ov.reshape %back, %flat : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<32xf32>
    ov.next carried(%f : tensor<32xf32>)
  }
  func.return %r : tensor<32xf32>
}
