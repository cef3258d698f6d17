func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %most : tensor<1x4xf32>
}

// -----

// The parts are needed again, less their maximum.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %r = ov.subtract %all, %most : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xf32>
  func.return %r : tensor<100x4xf32>
}
