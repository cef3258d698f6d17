func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %from = ov.constant dense<[99]> : tensor<1xi64> : tensor<1xi64>
  %to = ov.constant dense<[100]> : tensor<1xi64> : tensor<1xi64>
  %step = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%e : tensor<1x4xf32>)
  }
  %last = ov.slice %all, %from, %to, %step, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %last : tensor<1x4xf32>
}

// -----

// Which row is read is known behind the loop only.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %hundred = ov.constant dense<100.0> : tensor<f32> : tensor<f32>
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %v_end, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
  %scaled = ov.multiply %most, %hundred : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %number = ov.convert %scaled {destination_type = i64} : (tensor<f32>) -> tensor<i64>
  %at = ov.clamp %number {min = 0.0 : f64, max = 99.0 : f64} : (tensor<i64>) -> tensor<i64>
  %k = ov.reshape %at, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %row = ov.gather %all, %k, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  func.return %row : tensor<1x4xf32>
}
