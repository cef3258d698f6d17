// RUN: loomir-opt %s -p 'ov-if-to-select{cost="work"}' --remarks --verify-diagnostics | filecheck %s
// Both arms are computed if that is no more work than the branch: a test, and the mean of the arms.

// CHECK-LABEL: func.func @no_more
// CHECK-NOT: ov.if
// CHECK: ov.select
func.func @no_more(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{done: ov.if: both branches and the select cost 3 additions}}
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    %p = ov.subtract %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @more
// CHECK: ov.if
// CHECK-NOT: ov.select
func.func @more(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // expected-remark@+1 {{left: ov.if: both branches and the select cost 5 additions, the branch 4 on average}}
  %r, %s, %t = ov.if %c -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p, %x, %a : tensor<f32>, tensor<f32>, tensor<f32>
  } else {
    %p = ov.subtract %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %a, %p, %x : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.return %r, %s, %t : tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @unknown
// CHECK: ov.if
func.func @unknown(%c: tensor<i1>, %x: tensor<4xf32>, %k: tensor<1xi64>) -> tensor<f32> {
  // expected-remark@+1 {{left: ov.if: both branches and the select cost an unknown number of additions}}
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.reduce_max %x, %k {keep_dims = false} : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    %p = ov.reduce_min %x, %k {keep_dims = false} : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  }
  func.return %r : tensor<f32>
}
