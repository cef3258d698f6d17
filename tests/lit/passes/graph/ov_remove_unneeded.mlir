// What no output needs goes: operations that may fail, results of branches, carried values that only keep each other alive.
// RUN: loomir-opt %s -p ov-remove-unneeded | filecheck %s
// RUN: loomir-opt %s -p ov-remove-unneeded --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: ov-remove-unneeded: done: ov.constant: removed 5 unneeded operations, this one first
// REMARK-DAG: ov-remove-unneeded: done: ov.if: DeadValues applied 3 times, first here

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

// What fails when it is taken stays, with what decides that: the counter %k, and what the branch beside it gives.
// The counter %d decides nothing and goes.
// CHECK-LABEL: func.func @stays
// CHECK: ov.loop trip(%n) carried(%{{[^,]*}}, %x) : (tensor<i64>, tensor<i64>, tensor<2xf32>)
// CHECK: ^bb0(%{{[^:]*}}: tensor<i64>, %[[K:.*]]: tensor<i64>, %[[A:.*]]: tensor<2xf32>):
// CHECK: ov.add %[[K]], %one
// CHECK-NOT: ov.subtract
// CHECK: %[[C:.*]] = ov.equal %[[K]], %three
// CHECK: %[[E:.*]] = ov.exp %[[A]]
// CHECK: ov.if %[[C]]
// CHECK: ov.fail
// CHECK: ov.yield %[[E]]
func.func @stays(%n: tensor<i64>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %k_end, %a_end, %d_end = ov.loop trip(%n) carried(%zero, %x, %zero) : (tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i64>) -> (tensor<i64>, tensor<2xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %a: tensor<2xf32>, %d: tensor<i64>):
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d1 = ov.subtract %d, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %e = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    %f = ov.if %c -> (tensor<2xf32>) {
      %stop = ov.fail "'squeeze': dimension 0 is 2" : tensor<2xf32>
      ov.yield %stop : tensor<2xf32>
    } else {
      ov.yield %e : tensor<2xf32>
    }
    ov.next carried(%k1, %f, %d1 : tensor<i64>, tensor<2xf32>, tensor<i64>)
  }
  func.return %x : tensor<2xf32>
}
