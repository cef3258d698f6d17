// RUN: loomir-opt %s -p ov-bound-shapes | filecheck %s

// The loop gives a tensor of unknown rank, which could have no bounds; the branch that it stands in is never taken.
// CHECK-LABEL: func.func @main
// CHECK:       ov.if %c -> (tensor<?xf32, #ov.bounds<3>>) {
// CHECK-NEXT:    %[[FAIL:.*]] = ov.fail "a branch that never runs"
// CHECK-NEXT:    ov.yield %[[FAIL]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %x
func.func @main(%x: tensor<3xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %c = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r = ov.if %c -> (tensor<?xf32>) {
    %a = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<*xf32> {
    ^bb0(%i: tensor<i64>):
      ov.next concat(%x : tensor<3xf32>)
    }
    %s = ov.constant dense<[3]> : tensor<1xi64> : tensor<1xi64>
    %b = ov.reshape %a, %s {special_zero = false} : (tensor<*xf32>, tensor<1xi64>) -> tensor<?xf32>
    ov.yield %b : tensor<?xf32>
  } else {
    ov.yield %x : tensor<3xf32>
  }
  func.return %r : tensor<?xf32>
}
