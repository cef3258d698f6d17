func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi1>) -> tensor<1x4xi1> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi64>) -> tensor<1x4xi1> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi64>):
    %c = ov.greater %p, %two : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi1>
    %w = ov.logical_or %v, %c : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    ov.next carried(%w : tensor<1x4xi1>)
  }
  func.return %r : tensor<1x4xi1>
}

// -----

// What is compared is the part and the number of parts found so far.
func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %c = ov.greater %p, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
    %w = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}
