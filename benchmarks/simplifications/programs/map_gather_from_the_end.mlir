func.func @main(%x: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %all = ov.loop trip(%trips) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>):
    %at = ov.subtract %last, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// The distance from the end grows only where the data is positive.
func.func @main(%x: tensor<100x4xf32>, %y: tensor<100xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %d_end, %all = ov.loop trip(%trips) carried(%axis) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %d: tensor<i64>):
    %at = ov.subtract %last, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %number = ov.gather %y, %d, %axis {out_of_range = "error"} : (tensor<100xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %positive = ov.greater %number, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %step = ov.convert %positive {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %d_next = ov.add %d, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%d_next : tensor<i64>) concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
