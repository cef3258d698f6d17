func.func @main(%n: tensor<i64>, %x: tensor<1x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %v_end, %y_end = ov.loop trip(%n) carried(%a, %x) : (tensor<i64>, tensor<1x16xf32>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>):
    %s = ov.multiply %v, %x : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end, %v_end : tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

// It is made of rows at positions that are data, which may not exist: an earlier trip may fail.
func.func @main(%n: tensor<i64>, %x: tensor<1x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>, %k: tensor<8x1xi64>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %v_end, %y_end = ov.loop trip(%n) carried(%a, %x) : (tensor<i64>, tensor<1x16xf32>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>):
    %s = ov.multiply %v, %x : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %at = ov.gather %k, %i, %axis : (tensor<8x1xi64>, tensor<i64>, tensor<i64>) -> tensor<1xi64>
    %g = ov.gather %b, %at, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x16xf32>
    %e = ov.exp %g : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.multiply %e, %w : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end, %v_end : tensor<1x16xf32>, tensor<1x16xf32>
}
