func.func @main(%n: tensor<i64>, %x: tensor<8x16xf32>, %a: tensor<8x8xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %m = ov.mat_mul %t, %a : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %back = ov.transpose %w, %order : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%back : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}

// -----

// Behind the exchange of the axes the elements are put in rows of the length before: a trip moves them.
func.func @main(%n: tensor<i64>, %x: tensor<8x16xf32>, %a: tensor<8x8xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %rows = ov.constant dense<[8, 16]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %m = ov.mat_mul %t, %a : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %back = ov.reshape %w, %rows : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%back : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}
