// What no output needs goes: operations that may fail, results of branches, carried values that only keep each other alive.
// RUN: loomir-opt %s -p ov-remove-unneeded | filecheck %s
// RUN: loomir-opt %s -p ov-remove-unneeded --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: ov-remove-unneeded: done: ov.constant: 4 operations that nothing needs are gone, this one first
// REMARK-DAG: ov-remove-unneeded: done: ov.loop: DeadLoopValues applied 1 time

// CHECK-LABEL: func.func @main
// CHECK-NOT: ov.gather
// CHECK: %r = ov.if %c -> (tensor<2xf32>)
// CHECK-NOT: ov.multiply
// CHECK: ov.loop trip(%n) carried(%r)
// CHECK-SAME: -> tensor<2xf32>
func.func @main(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<2xf32>, %i: tensor<1xi64>) -> tensor<2xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
  %r, %unused = ov.if %c -> (tensor<2xf32>, tensor<2xf32>) {
    %m = ov.multiply %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield %x, %m : tensor<2xf32>, tensor<2xf32>
  } else {
    %e = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %e, %x : tensor<2xf32>, tensor<2xf32>
  }
  %s, %dead = ov.loop trip(%n) carried(%r, %x) {slices = [], concats = []} : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%k: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %f = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    %h = ov.multiply %b, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%f, %h : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %s : tensor<2xf32>
}
