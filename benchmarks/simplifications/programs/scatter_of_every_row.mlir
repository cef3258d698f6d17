func.func @main(%x: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<100x4xf32> : tensor<100x4xf32>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_row = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %table = ov.loop trip(%trips) carried(%zeros) : (tensor<i64>, tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %e = ov.exp %g : (tensor<4xf32>) -> tensor<4xf32>
    %row = ov.reshape %e, %one_row : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %row : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// The place of a row is data: two rows may have one place, and a place none.
func.func @main(%x: tensor<100x4xf32>, %y: tensor<100x1xi64>) -> tensor<100x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<100x4xf32> : tensor<100x4xf32>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_row = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %table = ov.loop trip(%trips) carried(%zeros) : (tensor<i64>, tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>):
    %a = ov.gather %y, %i, %axis {out_of_range = "error"} : (tensor<100x1xi64>, tensor<i64>, tensor<i64>) -> tensor<1xi64>
    %at = ov.reshape %a, %one : (tensor<1xi64>, tensor<2xi64>) -> tensor<1x1xi64>
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %e = ov.exp %g : (tensor<4xf32>) -> tensor<4xf32>
    %old = ov.gather_nd %t, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %row = ov.reshape %e, %one_row : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %old, %row : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %new = ov.subtract %row, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %new : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}
