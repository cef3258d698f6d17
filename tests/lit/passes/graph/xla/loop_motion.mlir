// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-invariant-code-motion,ov-fold-constants,canonicalize,cse' | filecheck %s

// A sum of what is handed on as it came,
// CHECK-LABEL: func.func @one(
// CHECK-NEXT: %[[A:.*]] = ov.add %x, %y
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%n) carried(%z)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xi32>):
// CHECK-NEXT:   %[[E:.*]] = ov.multiply %[[D]], %[[A]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %y, %[[B]]
func.func @one(%n: tensor<i64>, %x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y, %z) : (tensor<i64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xi32>, %b: tensor<4xi32>, %c: tensor<4xi32>):
    %p = ov.add %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %w = ov.multiply %c, %p : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%a, %b, %w : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  }
  func.return %r, %s, %t : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// a tree of such operations, but not the quotient with what changes;
// CHECK-LABEL: func.func @tree(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<4.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.add %x, %y
// CHECK-NEXT: %[[C:.*]] = ov.multiply %[[B]], %y
// CHECK-NEXT: %[[D:.*]] = ov.negative %[[C]]
// CHECK-NEXT: %[[E:.*]] = ov.subtract %[[D]], %[[A]]
// CHECK-NEXT: %[[F:.*]] = ov.loop trip(%n) carried(%z)
// CHECK-NEXT: ^bb0(%[[G:.*]]: tensor<i64>, %[[H:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[I:.*]] = ov.divide %[[E]], %[[H]]
// CHECK-NEXT:   ov.next carried(%[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[F]]
func.func @tree(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %four = ov.constant dense<4.0> : tensor<f32> : tensor<f32>
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y, %z) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %p = ov.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %u = ov.negative %q : (tensor<4xf32>) -> tensor<4xf32>
    %v = ov.subtract %u, %four : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.divide %v, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%a, %b, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %t : tensor<4xf32>
}

// not what each trip changes,
// CHECK-LABEL: func.func @changes(
// CHECK-NEXT: %[[A:.*]] = ov.loop trip(%n) carried(%y)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<4xi32>):
// CHECK-NEXT:   %[[D:.*]] = ov.add %x, %[[C]]
// CHECK-NEXT:   ov.next carried(%[[D]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @changes(%n: tensor<i64>, %x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xi32>, %b: tensor<4xi32>):
    %w = ov.add %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%a, %w : tensor<4xi32>, tensor<4xi32>)
  }
  func.return %s : tensor<4xi32>
}

// nor what changes places.
// CHECK-LABEL: func.func @change_places(
// CHECK-NEXT: %[[A:.*]], %[[B:.*]], %[[C:.*]] = ov.loop trip(%n) carried(%x, %y, %z)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<4xi32>, %[[F:.*]]: tensor<4xi32>, %[[G:.*]]: tensor<4xi32>):
// CHECK-NEXT:   %[[H:.*]] = ov.subtract %[[E]], %[[F]]
// CHECK-NEXT:   %[[I:.*]] = ov.multiply %[[G]], %[[H]]
// CHECK-NEXT:   ov.next carried(%[[F]], %[[E]], %[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @change_places(%n: tensor<i64>, %x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> tensor<4xi32> {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y, %z) : (tensor<i64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xi32>, %b: tensor<4xi32>, %c: tensor<4xi32>):
    %p = ov.subtract %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %w = ov.multiply %c, %p : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%b, %a, %w : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  }
  func.return %t : tensor<4xi32>
}

// What may stop the program stays in a loop that may not run.
// CHECK-LABEL: func.func @may_fail(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%n) carried(%[[B]])
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[F:.*]] = ov.gather %x, %k, %[[A]] {out_of_range = "error"}
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[E]], %[[F]]
// CHECK-NEXT:   ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @may_fail(%n: tensor<i64>, %x: tensor<4xf32>, %k: tensor<i64>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%zero) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %p : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// A reshape moves with the sum that needs it.
// CHECK-LABEL: func.func @with_a_reshape(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<4>
// CHECK-NEXT: %[[B:.*]] = ov.reshape %x, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.add %[[B]], %y
// CHECK-NEXT: %[[D:.*]] = ov.loop trip(%n) carried(%z)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<4xi32>):
// CHECK-NEXT:   %[[G:.*]] = ov.multiply %[[F]], %[[C]]
// CHECK-NEXT:   ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]]
func.func @with_a_reshape(%n: tensor<i64>, %x: tensor<2x2xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> tensor<4xi32> {
  %shape = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y, %z) : (tensor<i64>, tensor<2x2xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x2xi32>, tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x2xi32>, %b: tensor<4xi32>, %c: tensor<4xi32>):
    %q = ov.reshape %a, %shape {special_zero = false} : (tensor<2x2xi32>, tensor<1xi64>) -> tensor<4xi32>
    %p = ov.add %q, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %w = ov.multiply %c, %p : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%a, %b, %w : tensor<2x2xi32>, tensor<4xi32>, tensor<4xi32>)
  }
  func.return %t : tensor<4xi32>
}

// A constant stays where it is read: it costs nothing there.
// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: %[[A:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<2xf32>):
// CHECK-NEXT:   %[[D:.*]] = ov.constant dense<[3.000000e+00, 4.000000e+00]>
// CHECK-NEXT:   %[[E:.*]] = ov.add %[[C]], %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @constant(%n: tensor<i64>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %c = ov.constant dense<[3.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
    %w = ov.add %a, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%w : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}

// Of a loop of one trip at most nothing moves out: it is a branch.
// CHECK-LABEL: func.func @one_trip(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.equal %k, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.if %[[B]]
// CHECK-NEXT:   %[[D:.*]] = ov.exp %y
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.yield %x
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @one_trip(%k: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %minus = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<42> : tensor<i64> : tensor<i64>
  %go = ov.equal %k, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %k) : (tensor<i1>, tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %j: tensor<i64>):
    %w = ov.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    %again = ov.equal %minus, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %minus : tensor<4xf32>, tensor<i64>)
  }
  func.return %r : tensor<4xf32>
}

// A product of two tensors moves, and what reads it.
// CHECK-LABEL: func.func @product(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[0, 1]>
// CHECK-NEXT: %[[B:.*]] = ov.mat_mul %a, %b
// CHECK-NEXT: %[[C:.*]] = ov.reduce_prod %[[B]], %[[A]]
// CHECK-NEXT: %[[D:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[F]], %[[C]]
// CHECK-NEXT:   ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]]
func.func @product(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<f32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.mat_mul %a, %b {transpose_a = false, transpose_b = false} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %q = ov.reduce_prod %p, %axes {keep_dims = false} : (tensor<8x8xf32>, tensor<2xi64>) -> tensor<f32>
    %w = ov.add %v, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// Both factors are one tensor.
// CHECK-LABEL: func.func @square(
// CHECK-NEXT: %[[A:.*]] = ov.mat_mul %x, %x {transpose_a = true, transpose_b = true}
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%n) carried(%y)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4x4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.add %[[D]], %[[A]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @square(%n: tensor<i64>, %x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %p = ov.mat_mul %a, %a {transpose_a = true, transpose_b = true} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %w = ov.add %b, %p : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.next carried(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>)
  }
  func.return %s : tensor<4x4xf32>
}
