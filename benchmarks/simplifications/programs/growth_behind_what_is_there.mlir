func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %y: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %v_end, %all = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// What is carried on are the last three rows only: they are cut in each trip.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %from = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %to = ov.constant dense<[4]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<3x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<3x4xf32>, %p: tensor<1x4xf32>):
    %g = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %h = ov.add %g, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.multiply %v, %h : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %k = ov.slice %w, %from, %to, %from, %axis : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x4xf32>
    ov.next carried(%s, %k : tensor<1x4xf32>, tensor<3x4xf32>)
  }
  func.return %all : tensor<3x4xf32>
}
