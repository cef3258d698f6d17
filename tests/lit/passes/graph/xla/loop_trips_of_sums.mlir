// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-fold-constants,canonicalize,cse' | filecheck %s

// The step is two additions (XLA's analysis says nothing of it),
// CHECK-LABEL: func.func @two_additions(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @two_additions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %k1 = ov.add %p, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// or the sum of two constants;
// CHECK-LABEL: func.func @sum_as_the_step(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @sum_as_the_step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %one, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %k1 = ov.add %k, %p : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// something is added before the counter is compared,
// CHECK-LABEL: func.func @sum_is_compared(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<7>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @sum_is_compared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<17> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ov.add %k1, %ten : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %p, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// or the bound is a sum.
// CHECK-LABEL: func.func @sum_as_the_bound(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<10>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @sum_as_the_bound(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %five = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ov.add %five, %five : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// The counter is doubled: 1, 2, 4, 8 are below 10.
// CHECK-LABEL: func.func @doubled(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<4>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @doubled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %one) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// From 1 + 1 to 10, both included.
// CHECK-LABEL: func.func @sum_as_the_begin(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<9>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @sum_as_the_begin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %k0 = ov.add %one, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %r, %s = ov.loop carried(%x, %k0) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less_equal %k1, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}
