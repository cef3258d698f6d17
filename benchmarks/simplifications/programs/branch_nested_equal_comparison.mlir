func.func @main(%k: tensor<i64>, %m: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %m, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The comparison inside is true of equal numbers as well.
func.func @main(%k: tensor<i64>, %m: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = ov.greater_equal %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
