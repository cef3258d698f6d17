func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %v_end, %all = ov.loop trip(%n) carried(%x, %none) : (tensor<i64>, tensor<1x4xf32>, tensor<0x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>):
    %m = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// Each trip reads all that is there so far: its greatest element.
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>):
    %g = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %v, %g : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %h = ov.add %m, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %h : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}
