// RUN: loomir-opt %s -p 'canonicalize,ov-loop-peel,canonicalize' | filecheck %s
// RUN: loomir-opt %s -p 'canonicalize,ov-loop-peel,canonicalize,ov-loop-unroll' --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=TRIPS

// A flag that a constant in the body sets: the first iteration is peeled, as it is with the constant outside, and 39 trips are left.
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = ov.constant dense<40> : tensor<i64> : tensor<i64>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %h, %g = ov.loop trip(%m) carried(%a, %false) : (tensor<i64>, tensor<8xf32>, tensor<i1>) -> (tensor<8xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %s: tensor<8xf32>, %d: tensor<i1>):
    %r = ov.if %d -> (tensor<8xf32>) {
      %q = ov.tanh %s : (tensor<8xf32>) -> tensor<8xf32>
      ov.yield %q : tensor<8xf32>
    } else {
      %q2 = ov.exp %s : (tensor<8xf32>) -> tensor<8xf32>
      ov.yield %q2 : tensor<8xf32>
    }
    %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.next carried(%r, %true : tensor<8xf32>, tensor<i1>)
  }
  func.return %h : tensor<8xf32>
}
// CHECK:      %[[FIRST:.*]] = ov.exp %a
// CHECK:      %[[LEFT:.*]] = ov.constant dense<39>
// CHECK:      ov.loop trip(%[[LEFT]]) carried(%[[FIRST]])
// CHECK-NOT:  ov.if
// CHECK:      ov.tanh
// TRIPS:      ov-loop-unroll: left: ov.loop: its 39 trips are more than
