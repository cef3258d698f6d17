func.func @main(%n: tensor<i64>, %x: tensor<16xf32>, %a: tensor<16x16xf32>) -> tensor<16xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16xf32>):
    %t = ov.unsqueeze %v, %axis : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
    %m = ov.mat_mul %t, %a : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %back = ov.squeeze %w, %axis : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
    ov.next carried(%back : tensor<16xf32>)
  }
  func.return %r : tensor<16xf32>
}

// -----

// The row becomes a column: its product is one of other elements.
func.func @main(%n: tensor<i64>, %x: tensor<16xf32>, %a: tensor<16x16xf32>) -> tensor<16xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %column = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16xf32>):
    %t = ov.unsqueeze %v, %axis : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
    %c = ov.unsqueeze %v, %column : (tensor<16xf32>, tensor<1xi64>) -> tensor<16x1xf32>
    %o = ov.mat_mul %c, %t : (tensor<16x1xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
    %m = ov.multiply %o, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = ov.reduce_max %m, %axis : (tensor<16x16xf32>, tensor<1xi64>) -> tensor<16xf32>
    %w = ov.tanh %s : (tensor<16xf32>) -> tensor<16xf32>
    ov.next carried(%w : tensor<16xf32>)
  }
  func.return %r : tensor<16xf32>
}
