func.func @main(%x: tensor<100x1xf32>) -> tensor<100x1xf32> {
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x1xf32>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>):
    %flat = ov.reshape %p, %one : (tensor<1x1xf32>, tensor<1xi64>) -> tensor<1xf32>
    %positive = ov.greater %flat, %zero : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %taken = ov.reshape %positive, %none : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    %r = ov.if %taken -> (tensor<1x1xf32>) {
      %t = ov.tanh %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.yield %t : tensor<1x1xf32>
    } else {
      %t = ov.abs %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.yield %t : tensor<1x1xf32>
    }
    ov.next concat(%r : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// An arm may fail: it must not run for the other parts.
func.func @main(%x: tensor<100x1xf32>, %k: tensor<100x1xi64>, %y: tensor<4xf32>) -> tensor<100x1xf32> {
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %all = ov.loop sliced(%x, %k) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x1xf32>, tensor<100x1xi64>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>, %at: tensor<1x1xi64>):
    %flat = ov.reshape %p, %one : (tensor<1x1xf32>, tensor<1xi64>) -> tensor<1xf32>
    %positive = ov.greater %flat, %zero : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %taken = ov.reshape %positive, %none : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    %r = ov.if %taken -> (tensor<1x1xf32>) {
      %t = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1x1xi64>, tensor<i64>) -> tensor<1x1xf32>
      ov.yield %t : tensor<1x1xf32>
    } else {
      ov.yield %p : tensor<1x1xf32>
    }
    ov.next concat(%r : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}
