func.func @main(%k: tensor<4xi64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.subtract %g, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// An If around it is not taken in every iteration.
func.func @main(%k: tensor<16xi64>, %c: tensor<1000xi1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %d = ov.gather %c, %i, %axis {out_of_range = "error"} : (tensor<1000xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %d -> (tensor<16x16xf32>) {
      %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
      %p = ov.mat_mul %v, %g : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    } else {
      ov.yield %v : tensor<16x16xf32>
    }
    ov.next carried(%w : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
