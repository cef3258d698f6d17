func.func @main(%x: tensor<100x4xi64>) -> (tensor<100x4xi64>, tensor<1x4xi64>) {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %r, %all = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%v : tensor<1x4xi64>)
  }
  func.return %all, %r : tensor<100x4xi64>, tensor<1x4xi64>
}

// -----

// A sum that is never less than zero: what is cut off depends on the order.
func.func @main(%x: tensor<100x4xi64>) -> (tensor<100x4xi64>, tensor<1x4xi64>) {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %q = ov.subtract %p, %two : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %h = ov.add %v, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.maximum %h, %none : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%v : tensor<1x4xi64>)
  }
  func.return %all, %r : tensor<100x4xi64>, tensor<1x4xi64>
}
