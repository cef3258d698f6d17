func.func @main(%c: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %e = ov.exp %a : (tensor<f32>) -> tensor<f32>
    %s = ov.add %v, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// An operation that may fail, in a loop that may not run.
func.func @main(%c: tensor<i1>, %k: tensor<i64>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<4xf32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %e = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %size = ov.abs %e : (tensor<f32>) -> tensor<f32>
    %s = ov.add %v, %size : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
