func.func @main(%x: tensor<100x4xi64>, %y: tensor<100x4xf32>, %a: tensor<1x4xi64>, %b: tensor<1x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  %u_end, %v_end = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<100x4xi64>, tensor<100x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xi64>, %v: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
    %s = ov.add %u, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %t = ov.multiply %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s, %w : tensor<1x4xi64>, tensor<1x4xf32>)
  }
  func.return %u_end, %v_end : tensor<1x4xi64>, tensor<1x4xf32>
}

// -----

// Each of the carried values reads the other one.
func.func @main(%x: tensor<100x4xi64>, %y: tensor<100x4xf32>, %a: tensor<1x4xi64>, %b: tensor<1x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %u_end, %v_end = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<100x4xi64>, tensor<100x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xi64>, %v: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
    %positive = ov.greater %v, %zero : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %step = ov.select %positive, %p, %none : (tensor<1x4xi1>, tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %s = ov.add %u, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %number = ov.convert %u {destination_type = f32} : (tensor<1x4xi64>) -> tensor<1x4xf32>
    %t = ov.multiply %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.subtract %t, %number : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s, %w : tensor<1x4xi64>, tensor<1x4xf32>)
  }
  func.return %u_end, %v_end : tensor<1x4xi64>, tensor<1x4xf32>
}
