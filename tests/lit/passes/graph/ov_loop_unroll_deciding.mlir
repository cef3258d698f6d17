// RUN: loomir-opt %s -p 'ov-loop-unroll{deciding=true},ov-fold-constants,canonicalize' | filecheck %s

// The axes of a reduction follow from the iteration number: two copies. The other loop, as short, stays.
func.func @main(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%two) carried(%x) : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2x3xf32>):
    %a = ov.reshape %i, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %s = ov.reduce_sum %v, %a {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?x?xf32>
    %w = ov.subtract %v, %s : (tensor<2x3xf32>, tensor<?x?xf32>) -> tensor<2x3xf32>
    ov.next carried(%w : tensor<2x3xf32>)
  }
  %t = ov.loop trip(%two) carried(%z) : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%j: tensor<i64>, %u: tensor<2x3xf32>):
    %e = ov.exp %u : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ov.next carried(%e : tensor<2x3xf32>)
  }
  func.return %r, %t : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-NOT:   ov.loop
// CHECK:       %[[S:.*]] = ov.reduce_sum %x, %{{.*}} {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
// CHECK-NEXT:  %[[W:.*]] = ov.subtract %x, %[[S]]
// CHECK:       %[[Q:.*]] = ov.reduce_sum %[[W]], %{{.*}} {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1xf32>
// CHECK:       %t = ov.loop
// CHECK:       ov.exp
// CHECK-NOT:   ov.exp
