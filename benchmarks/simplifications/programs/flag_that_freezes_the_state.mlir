func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %most = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
  %r, %c_end = ov.loop trip(%trips) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %done: tensor<i1>):
    %w = ov.if %done -> (tensor<16x16xf32>) {
      ov.yield %v : tensor<16x16xf32>
    } else {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.add %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    }
    %sum = ov.reduce_max %w, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %done_next = ov.logical_or %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%w, %done_next : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The flag may be reset: a later trip goes on.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<100xi1>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
  %r, %c_end = ov.loop trip(%trips) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %done: tensor<i1>):
    %w = ov.if %done -> (tensor<16x16xf32>) {
      ov.yield %v : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    }
    %sum = ov.reduce_max %w, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %flag = ov.gather %flags, %i, %axis : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %reset = ov.not_equal %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %done_next = ov.logical_and %reset, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%w, %done_next : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}
