func.func @main(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %low = ov.less %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<f32>) {
      %p = ov.multiply %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = ov.add %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      %p = ov.subtract %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = ov.maximum %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// An arm may fail: it must not run in the trips that do not take it.
func.func @main(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>, %b: tensor<f32>, %k: tensor<i64>, %y: tensor<4xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %low = ov.less %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<f32>) {
      %at = ov.add %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %p = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
      %q = ov.add %p, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      %p = ov.subtract %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = ov.maximum %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
