// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-unroll{max-trips=2 factor=3},ov-fold-constants,canonicalize,cse' | filecheck %s

// Of seven trips six are two of three copies, and the seventh is behind them (XLA's pass takes no such factor).
// CHECK-LABEL: func.func @seven_by_three(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<3xi32>):
// CHECK-NEXT:   %[[E:.*]] = ov.multiply %[[D]], %[[D]]
// CHECK-NEXT:   %[[F:.*]] = ov.multiply %[[E]], %[[E]]
// CHECK-NEXT:   %[[G:.*]] = ov.multiply %[[F]], %[[F]]
// CHECK-NEXT:   ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[H:.*]] = ov.multiply %[[B]], %[[B]]
// CHECK-NEXT: func.return %[[H]]
func.func @seven_by_three(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<7> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%zero, %x) : (tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i32>, tensor<3xi32>)
  }
  func.return %s : tensor<3xi32>
}
