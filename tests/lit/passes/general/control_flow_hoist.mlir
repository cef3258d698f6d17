// A branch is emptied only where everything in it surely stops no program.
// RUN: loomir-opt %s -p control-flow-hoist | filecheck %s
// RUN: loomir-opt %s -p control-flow-hoist --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: control-flow-hoist: done: scf.if: hoisted 1 operations out of it
// REMARK-DAG: control-flow-hoist: left: scf.if: tensor.extract may fail

// CHECK-LABEL: func.func @main
// CHECK-NEXT: [[SUM:%\S+]] = arith.addi %a, %b : i32
// CHECK-NEXT: scf.if %c
// CHECK-NEXT: scf.yield [[SUM]] : i32
// CHECK: scf.if %c
// CHECK-NEXT: arith.floordivsi %a, %b
// CHECK: scf.if %c
// CHECK-NEXT: tensor.extract %t[%k]
func.func @main(%c: i1, %a: i32, %b: i32, %k: index, %t: tensor<4xi32>) -> (i32, i32, i32) {
  %0 = scf.if %c -> (i32) {
    %s = arith.addi %a, %b : i32
    scf.yield %s : i32
  } else {
    scf.yield %a : i32
  }
  %1 = scf.if %c -> (i32) {
    %d = arith.floordivsi %a, %b : i32
    scf.yield %d : i32
  } else {
    scf.yield %a : i32
  }
  %2 = scf.if %c -> (i32) {
    %e = tensor.extract %t[%k] : tensor<4xi32>
    scf.yield %e : i32
  } else {
    scf.yield %a : i32
  }
  func.return %0, %1, %2 : i32, i32, i32
}
