// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-fold-constants,canonicalize,cse' | filecheck %s

// A constant that is carried as it came is read in the body,
// CHECK-LABEL: func.func @one(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[2.000000e+00, 1.000000e+00]>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<2xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.add %[[D]], %[[A]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]], %[[A]]
func.func @one(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = ov.constant dense<[2.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>, %u: tensor<2xf32>):
    %w = ov.add %v, %u : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%w, %u : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<2xf32>
}

// also one that is broadcast,
// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<16xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.add %[[D]], %[[A]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @broadcast(%n: tensor<i64>, %x: tensor<16xf32>) -> tensor<16xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %shape = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
  %a = ov.broadcast %two, %shape {mode = "numpy"} : (tensor<f32>, tensor<1xi64>) -> tensor<16xf32>
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16xf32>, %u: tensor<16xf32>):
    %w = ov.add %v, %u : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ov.next carried(%w, %u : tensor<16xf32>, tensor<16xf32>)
  }
  func.return %r : tensor<16xf32>
}

// two of them, of which the sum is the same in each trip, and handed on from outside,
// CHECK-LABEL: func.func @two(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[2.000000e+00, 1.000000e+00]>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<[3.000000e+00, 1.000000e+00]>
// CHECK-NEXT: %[[F:.*]] = ov.constant dense<[5.000000e+00, 2.000000e+00]>
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<2xf32>):
// CHECK-NEXT:   ov.next carried(%[[F]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]], %[[A]], %[[B]]
func.func @two(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = ov.constant dense<[2.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %b = ov.constant dense<[3.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>, %u: tensor<2xf32>, %q: tensor<2xf32>):
    %w = ov.add %u, %q : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%w, %u, %q : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// but one that the body does not read is none in it.
// CHECK-LABEL: func.func @unread(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[2.000000e+00, 1.000000e+00]>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<2xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]], %[[A]]
func.func @unread(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = ov.constant dense<[2.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>, %u: tensor<2xf32>):
    %w = ov.exp %v : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%w, %u : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<2xf32>
}

// The condition compares with a constant that is carried,
// CHECK-LABEL: func.func @bound_of_the_condition(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1.000000e+01>
// CHECK-NEXT: %[[C:.*]] = ov.less %x, %[[B]]
// CHECK-NEXT: %[[D:.*]] = ov.loop while(%[[C]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[F]], %[[A]]
// CHECK-NEXT:   %[[H:.*]] = ov.less %[[G]], %[[B]]
// CHECK-NEXT:   ov.next while(%[[H]]) carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]], %[[B]]
func.func @bound_of_the_condition(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %ten = ov.constant dense<10.0> : tensor<f32> : tensor<f32>
  %go = ov.less %x, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %ten) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %u: tensor<f32>):
    %w = ov.add %v, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %u : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %u : tensor<f32>, tensor<f32>)
  }
  func.return %r, %s : tensor<f32>, tensor<f32>
}

// of two constants with the one,
// CHECK-LABEL: func.func @bound_beside_an_unread_one(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1.000000e+01>
// CHECK-NEXT: %[[C:.*]] = ov.less %x, %[[B]]
// CHECK-NEXT: %[[D:.*]] = ov.constant dense<1.200000e+01>
// CHECK-NEXT: %[[E:.*]] = ov.loop while(%[[C]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[F:.*]]: tensor<i64>, %[[G:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[H:.*]] = ov.add %[[G]], %[[A]]
// CHECK-NEXT:   %[[I:.*]] = ov.less %[[H]], %[[B]]
// CHECK-NEXT:   ov.next while(%[[I]]) carried(%[[H]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[E]], %[[B]], %[[D]]
func.func @bound_beside_an_unread_one(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %ten = ov.constant dense<10.0> : tensor<f32> : tensor<f32>
  %dozen = ov.constant dense<12.0> : tensor<f32> : tensor<f32>
  %go = ov.less %x, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%x, %ten, %dozen) : (tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %u: tensor<f32>, %q: tensor<f32>):
    %w = ov.add %v, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %u : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %u, %q : tensor<f32>, tensor<f32>, tensor<f32>)
  }
  func.return %r, %s, %t : tensor<f32>, tensor<f32>, tensor<f32>
}

// and two values with one constant.
// CHECK-LABEL: func.func @bound_of_two_conditions(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1.200000e+01>
// CHECK-NEXT: %[[C:.*]], %[[D:.*]] = ov.loop carried(%x, %y)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<f32>, %[[G:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[H:.*]] = ov.add %[[F]], %[[A]]
// CHECK-NEXT:   %[[I:.*]] = ov.add %[[G]], %[[A]]
// CHECK-NEXT:   %[[J:.*]] = ov.less %[[H]], %[[B]]
// CHECK-NEXT:   %[[K:.*]] = ov.less %[[I]], %[[B]]
// CHECK-NEXT:   %[[L:.*]] = ov.logical_and %[[J]], %[[K]]
// CHECK-NEXT:   ov.next while(%[[L]]) carried(%[[H]], %[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]], %[[D]]
func.func @bound_of_two_conditions(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %dozen = ov.constant dense<12.0> : tensor<f32> : tensor<f32>
  %r, %s, %t = ov.loop carried(%x, %y, %dozen) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %u: tensor<f32>, %q: tensor<f32>):
    %v1 = ov.add %v, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %u1 = ov.add %u, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %a = ov.less %v1, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = ov.less %u1, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%v1, %u1, %q : tensor<f32>, tensor<f32>, tensor<f32>)
  }
  func.return %r, %s : tensor<f32>, tensor<f32>
}

// What the body cuts a slice of is computed once, before the loop.
// CHECK-LABEL: func.func @mask_that_is_sliced(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[3, 0]>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<[4, 7]>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[D:.*]] = ov.constant dense<[0, 1]>
// CHECK-NEXT: %[[E:.*]] = ov.constant dense<[5, 7]>
// CHECK-NEXT: %[[F:.*]] = ov.broadcast %p, %[[E]] {mode = "numpy"}
// CHECK-NEXT: %[[G:.*]] = ov.exp %[[F]]
// CHECK-NEXT: %[[H:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[J:.*]]: tensor<5x7xf32>):
// CHECK-NEXT:   %[[K:.*]] = ov.slice %[[G]], %[[A]], %[[B]], %[[C]], %[[D]]
// CHECK-NEXT:   %[[L:.*]] = ov.add %[[J]], %[[K]]
// CHECK-NEXT:   %[[M:.*]] = ov.add %[[L]], %[[G]]
// CHECK-NEXT:   ov.next carried(%[[M]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[H]]
func.func @mask_that_is_sliced(%n: tensor<i64>, %x: tensor<5x7xf32>, %p: tensor<5x1xf32>) -> tensor<5x7xf32> {
  %zero = ov.constant dense<[3, 0]> : tensor<2xi64> : tensor<2xi64>
  %end = ov.constant dense<[4, 7]> : tensor<2xi64> : tensor<2xi64>
  %step = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %shape = ov.constant dense<[5, 7]> : tensor<2xi64> : tensor<2xi64>
  %d = ov.broadcast %p, %shape {mode = "numpy"} : (tensor<5x1xf32>, tensor<2xi64>) -> tensor<5x7xf32>
  %mask = ov.exp %d : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %r, %s = ov.loop trip(%n) carried(%x, %mask) : (tensor<i64>, tensor<5x7xf32>, tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<5x7xf32>, %u: tensor<5x7xf32>):
    %q = ov.slice %u, %zero, %end, %step, %axes : (tensor<5x7xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x7xf32>
    %w = ov.add %v, %q : (tensor<5x7xf32>, tensor<1x7xf32>) -> tensor<5x7xf32>
    %w1 = ov.add %w, %u : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    ov.next carried(%w1, %u : tensor<5x7xf32>, tensor<5x7xf32>)
  }
  func.return %r : tensor<5x7xf32>
}

// Of two carried values the first is handed on as it came, and so the same in each trip.
// CHECK-LABEL: func.func @handed_on(
// CHECK-NEXT: %[[A:.*]] = ov.loop trip(%n) carried(%y)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<i32>):
// CHECK-NEXT:   %[[D:.*]] = ov.multiply %x, %[[C]]
// CHECK-NEXT:   ov.next carried(%[[D]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %[[A]]
func.func @handed_on(%n: tensor<i64>, %x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>, %u: tensor<i32>):
    %w = ov.multiply %v, %u : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.next carried(%v, %w : tensor<i32>, tensor<i32>)
  }
  func.return %r, %s : tensor<i32>, tensor<i32>
}

// Two carried values are joined, and taken apart the other way round.
// CHECK-LABEL: func.func @joined_in_another_order(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[C:.*]], %[[D:.*]] = ov.loop trip(%[[A]]) carried(%x, %y)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<2x4xf32>, %[[G:.*]]: tensor<2x4xf32>):
// CHECK-NEXT:   %[[H:.*]] = ov.concat %[[F]], %[[G]] {axis = 0
// CHECK-NEXT:   %[[I:.*]] = ov.mat_mul %[[H]], %[[H]]
// CHECK-NEXT:   %[[J:.*]], %[[K:.*]] = ov.split %[[I]], %[[B]] {num_splits = 2
// CHECK-NEXT:   ov.next carried(%[[K]], %[[J]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]], %[[D]]
func.func @joined_in_another_order(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>):
    %p = ov.concat %v, %u {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %q = ov.mat_mul %p, %p {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %a, %b = ov.split %q, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    ov.next carried(%b, %a : tensor<2x4xf32>, tensor<2x4xf32>)
  }
  func.return %r, %s : tensor<2x4xf32>, tensor<2x4xf32>
}
