func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %most: tensor<f32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r = ov.loop while(%start) carried(%x) : (tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %sum = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %go = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %go -> (tensor<16x16xf32>) {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    } else {
      ov.yield %v : tensor<16x16xf32>
    }
    ov.next while(%go) carried(%w : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What ends the loop is another condition than the branch's.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %most: tensor<f32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop while(%start) carried(%x) : (tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %sum = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %low = ov.less %sum, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<16x16xf32>) {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    } else {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.add %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    }
    %go = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %short = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %again = ov.logical_and %go, %short : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
