func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xi64> {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %r = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xf32>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xf32>):
    %c = ov.greater %p, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
    %w = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// The count begins anew behind each part that is not greater.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xi64> {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %r = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xf32>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xf32>):
    %c = ov.greater %p, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
    %h = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.multiply %h, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}
