// RUN: loomir-opt %s -p scf-if-to-select | filecheck %s
// RUN: loomir-opt %s -p 'scf-if-to-select{cost="always"}' | filecheck %s --check-prefix=ALWAYS
// RUN: loomir-opt --remarks %s -p scf-if-to-select -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt --remarks %s -p 'scf-if-to-select{cost="never"}' 2>&1 | filecheck %s --check-prefix=NEVER
// RUN: loomir-opt --remarks %s -p 'scf-if-to-select{machine="cortex-m4"}' -o /dev/null 2>&1 | filecheck %s --check-prefix=M4

// NEVER-DAG: scf-if-to-select: left: scf.if: cost=never
// NEVER-DAG: %r = scf.if %c -> (f32) {

// CHECK-LABEL: func.func @cheap
// CHECK-NEXT: %p = arith.addf %x, %a
// CHECK-NEXT: %q = arith.subf %x, %a
// CHECK-NEXT: %r = arith.select %c, %p, %q
// CHECK-NEXT: func.return %r
// REMARK-DAG: scf-if-to-select: done: scf.if: both branches and the select cost 3 additions
// M4-DAG: scf-if-to-select: done: scf.if: both branches and the select cost 3 additions
func.func @cheap(%c: i1, %x: f32, %a: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %p = arith.addf %x, %a : f32
    scf.yield %p : f32
  } else {
    %q = arith.subf %x, %a : f32
    scf.yield %q : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: func.func @division
// CHECK-NOT: scf.if
// REMARK-DAG: scf-if-to-select: done: scf.if: both branches and the select cost 9 additions
// M4-DAG: scf-if-to-select: left: scf.if: both branches and the select cost 15 additions, more than 3
func.func @division(%c: i1, %x: f32, %a: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %p = arith.divf %x, %a : f32
    scf.yield %p : f32
  } else {
    scf.yield %x : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: func.func @dear
// CHECK: scf.if
// ALWAYS-LABEL: func.func @dear
// ALWAYS-NEXT: math.exp
// ALWAYS-NEXT: arith.select
// REMARK-DAG: scf-if-to-select: left: scf.if: both branches and the select cost 21 additions, more than 16
func.func @dear(%c: i1, %x: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %p = math.exp %x : f32
    scf.yield %p : f32
  } else {
    scf.yield %x : f32
  }
  func.return %r : f32
}

// ALWAYS-LABEL: func.func @may_fail
// ALWAYS: scf.if
// REMARK-DAG: scf-if-to-select: left: scf.if: arith.divsi may fail
func.func @may_fail(%c: i1, %k: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %p = arith.divsi %k, %k : i32
    scf.yield %p : i32
  } else {
    scf.yield %k : i32
  }
  func.return %r : i32
}

// ALWAYS-LABEL: func.func @tensors
// ALWAYS: scf.if
// ALWAYS: scf.if
// ALWAYS: scf.for
// REMARK-DAG: scf-if-to-select: left: scf.if: a result is not a number
// REMARK-DAG: scf-if-to-select: left: scf.if: it contains a loop or a branch
func.func @tensors(%c: i1, %t: tensor<4xf32>, %u: tensor<4xf32>, %n: index, %x: f32) -> (tensor<4xf32>, f32) {
  %r = scf.if %c -> (tensor<4xf32>) {
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %u : tensor<4xf32>
  }
  %s = scf.if %c -> (f32) {
    %v = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) {
      scf.yield %a : f32
    }
    scf.yield %v : f32
  } else {
    scf.yield %x : f32
  }
  func.return %r, %s : tensor<4xf32>, f32
}
