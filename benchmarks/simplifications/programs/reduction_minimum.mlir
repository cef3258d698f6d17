func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.minimum %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// The sign of the least value so far changes in each trip.
func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %h = ov.minimum %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.negative %h : (tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}
