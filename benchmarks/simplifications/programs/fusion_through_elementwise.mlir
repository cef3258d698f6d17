func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %e = ov.exp %all : (tensor<100x4xf32>) -> tensor<100x4xf32>
  %m = ov.multiply %e, %b : (tensor<100x4xf32>, tensor<4xf32>) -> tensor<100x4xf32>
  %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t : tensor<1x4xf32>
}

// -----

// What is between needs all parts: it subtracts their greatest.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %m = ov.subtract %all, %most : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xf32>
  %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t : tensor<1x4xf32>
}
