func.func @main(%most: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// The next copy may only run where the condition holds: it reads position i.
func.func @main(%most: tensor<f32>, %x: tensor<f32>, %a: tensor<16xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %end = ov.constant dense<15> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %g = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.subtract %g, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = ov.less %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %again = ov.logical_and %small, %more : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
