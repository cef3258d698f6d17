func.func @main(%x: tensor<99x4xf32>, %y: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_number = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %table = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %row = ov.gather_nd %t, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %row, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %after = ov.add %i, %one_number : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %place = ov.reshape %after, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %place, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// The row that is read may be any of those before.
func.func @main(%x: tensor<99x4xf32>, %y: tensor<100x4xf32>, %z: tensor<99x1xi64>) -> tensor<100x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_number = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %table = ov.loop carried(%y) sliced(%x, %z) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<100x4xf32>, tensor<99x4xf32>, tensor<99x1xi64>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x1xi64>):
    %row = ov.gather_nd %t, %q : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %row, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %after = ov.add %i, %one_number : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %place = ov.reshape %after, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %place, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}
