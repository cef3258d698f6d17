// RUN: loomir-opt %s -p ov-if-to-select | filecheck %s
// RUN: loomir-opt %s -p 'ov-if-to-select{cost="always"}' | filecheck %s --check-prefix=ALWAYS
// RUN: loomir-opt %s -p 'ov-if-to-select{cost="never"}' | filecheck %s --check-prefix=NEVER
// RUN: loomir-opt --remarks %s -p 'ov-if-to-select{cost="never"}' -o /dev/null 2>&1 | filecheck %s --check-prefix=SAID
// RUN: loomir-opt --remarks %s -p 'ov-if-to-select' -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// NEVER-COUNT-5: ov.if
// SAID-COUNT-5: ov-if-to-select: left: ov.if: cost=never

// CHECK-LABEL: func.func @cheap
// CHECK-NEXT: %[[P:.*]] = ov.add %x, %a
// CHECK-NEXT: %[[Q:.*]] = ov.subtract %x, %a
// CHECK-NEXT: %[[R:.*]] = ov.select %c, %[[P]], %[[Q]]
// CHECK-NEXT: func.return %[[R]]
// REMARK-DAG: ov-if-to-select: done: ov.if: both branches and the select cost 3 additions
func.func @cheap(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    %p = ov.subtract %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @dear
// CHECK: ov.if
// ALWAYS-LABEL: func.func @dear
// ALWAYS-NOT: ov.if
// ALWAYS: ov.select
// REMARK-DAG: ov-if-to-select: left: ov.if: both branches and the select cost 21 additions, more than 16
func.func @dear(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.exp %x : (tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    ov.yield %x : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// ALWAYS-LABEL: func.func @may_fail
// ALWAYS: ov.if %c
// ALWAYS-NEXT: ov.gather
// REMARK-DAG: ov-if-to-select: left: ov.if: both branches and the select cost an unknown number of additions, more than 16
func.func @may_fail(%c: tensor<i1>, %k: tensor<i64>, %x: tensor<4xf32>, %a: tensor<f32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    ov.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @open_extents
// CHECK: ov.if
// REMARK-DAG: ov-if-to-select: left: ov.if: a result has a dynamic shape
func.func @open_extents(%c: tensor<i1>, %x: tensor<?xf32>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %r = ov.if %c -> (tensor<?xf32>) {
    ov.yield %x : tensor<?xf32>
  } else {
    ov.yield %a : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @different_types
// CHECK: ov.if
// REMARK-DAG: ov-if-to-select: left: ov.if: the branches yield different types
func.func @different_types(%c: tensor<i1>, %x: tensor<2xf32>, %a: tensor<1xf32>) -> tensor<2xf32> {
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    ov.yield %a : tensor<1xf32>
  }
  func.return %r : tensor<2xf32>
}
