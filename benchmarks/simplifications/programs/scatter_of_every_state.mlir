func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<100x4xf32> : tensor<100x4xf32>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %v_end, %table = ov.loop carried(%a, %zeros) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// Only rows of even numbers are written: the others are what they were.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %y: tensor<200x4xf32>) -> tensor<200x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %v_end, %table = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<200x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<200x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<200x4xf32>, %p: tensor<1x4xf32>):
    %even = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.reshape %even, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %old = ov.gather_nd %t, %at : (tensor<200x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %q = ov.multiply %v, %old : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.add %q, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<200x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<200x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<200x4xf32>)
  }
  func.return %table : tensor<200x4xf32>
}
