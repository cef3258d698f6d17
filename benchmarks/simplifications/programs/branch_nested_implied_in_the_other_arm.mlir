func.func @main(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %c = ov.greater %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %d -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What is not less than 3 may be more than 5 or not.
func.func @main(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
