func.func @main(%k: tensor<i64>, %m: tensor<i64>) -> tensor<i1> {
  %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<i1>) {
    %p = ov.constant dense<false> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  } else {
    %p = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  }
  func.return %r : tensor<i1>
}

// -----

// The second arm is not true, and may fail.
func.func @main(%c: tensor<i1>, %k: tensor<i64>, %x: tensor<4xi1>) -> tensor<i1> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<i1>) {
    %p = ov.constant dense<false> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield %p : tensor<i1>
  }
  func.return %r : tensor<i1>
}
