// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-loop-invariant-code-motion,canonicalize,cse' | filecheck %s
// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-loop-invariant-code-motion{max-bytes=512},canonicalize,cse' | filecheck %s --check-prefix=SMALL

// The product is larger than what it is made of; what is left of it in the end is not. Where there is no room for it, it stays.
// SMALL-LABEL: func.func @inflating_product(
// SMALL-NOT:   ov.mat_mul
// SMALL:       ov.loop
// SMALL:         ov.mat_mul
// SMALL-NEXT:    ov.reduce_prod
// CHECK-LABEL: func.func @inflating_product(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[0, 1]>
// CHECK-NEXT: %[[B:.*]] = ov.mat_mul %a, %b {transpose_a = true, transpose_b = true}
// CHECK-NEXT: %[[C:.*]] = ov.reduce_prod %[[B]], %[[A]]
// CHECK-NEXT: %[[D:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[F]], %[[C]]
// CHECK-NEXT:   ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]]
func.func @inflating_product(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<4x16xf32>, %b: tensor<16x4xf32>) -> tensor<f32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.mat_mul %a, %b {transpose_a = true, transpose_b = true} : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<16x16xf32>
    %q = ov.reduce_prod %p, %axes {keep_dims = false} : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %w = ov.add %v, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// A broadcast, too, of which little is left in the end.
// SMALL-LABEL: func.func @inflating_broadcast(
// SMALL-NOT:   ov.broadcast
// SMALL:       ov.loop
// SMALL:         ov.broadcast
// SMALL-NEXT:    ov.exp
// SMALL-NEXT:    ov.reduce_prod
// CHECK-LABEL: func.func @inflating_broadcast(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[0, 1]>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<32>
// CHECK-NEXT: %[[C:.*]] = ov.broadcast %a, %[[B]] {mode = "numpy"}
// CHECK-NEXT: %[[D:.*]] = ov.exp %[[C]]
// CHECK-NEXT: %[[E:.*]] = ov.reduce_prod %[[D]], %[[A]]
// CHECK-NEXT: %[[F:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[G:.*]]: tensor<i64>, %[[H:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[I:.*]] = ov.add %[[H]], %[[E]]
// CHECK-NEXT:   ov.next carried(%[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[F]]
func.func @inflating_broadcast(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<1x32xf32>) -> tensor<f32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %shape = ov.constant dense<[32, 32]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.broadcast %a, %shape {mode = "numpy"} : (tensor<1x32xf32>, tensor<2xi64>) -> tensor<32x32xf32>
    %e = ov.exp %p : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %q = ov.reduce_prod %e, %axes {keep_dims = false} : (tensor<32x32xf32>, tensor<2xi64>) -> tensor<f32>
    %w = ov.add %v, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
