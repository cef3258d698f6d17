func.func @main(%n: tensor<i64>, %k: tensor<4xi64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %within = ov.clamp %k {min = 0.0 : f64, max = 3.0 : f64} : (tensor<4xi64>) -> tensor<4xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %within, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.multiply %v, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The positions may be outside, and the loop may not run.
func.func @main(%n: tensor<i64>, %k: tensor<4xi64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.multiply %v, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
