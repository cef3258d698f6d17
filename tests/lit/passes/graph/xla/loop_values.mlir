// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-fold-constants,canonicalize,cse' | filecheck %s

// No trip: the loop is what it began with,
// CHECK-LABEL: func.func @no_trip(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: func.return %[[A]], %x
func.func @no_trip(%x: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  %k0 = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %bound = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %go = ov.less %k0, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%k0, %x) : (tensor<i1>, tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>):
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %again = ov.less %k1, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i32>, tensor<3xi32>)
  }
  func.return %r, %s : tensor<i32>, tensor<3xi32>
}

// also if the bound is carried along.
// CHECK-LABEL: func.func @no_trip_with_a_carried_bound(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: func.return %[[A]], %x, %[[A]]
func.func @no_trip_with_a_carried_bound(%x: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>, tensor<i32>) {
  %k0 = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %bound = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %go = ov.less %k0, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%k0, %x, %bound) : (tensor<i1>, tensor<i32>, tensor<3xi32>, tensor<i32>) -> (tensor<i32>, tensor<3xi32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>, %b: tensor<i32>):
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %again = ov.less %k1, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w, %b : tensor<i32>, tensor<3xi32>, tensor<i32>)
  }
  func.return %r, %s, %t : tensor<i32>, tensor<3xi32>, tensor<i32>
}

// One trip: the loop is its body,
// CHECK-LABEL: func.func @one_trip(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<43>
// CHECK-NEXT: %[[B:.*]] = ov.multiply %x, %x
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @one_trip(%x: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  %k0 = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %bound = ov.constant dense<43> : tensor<i32> : tensor<i32>
  %go = ov.less %k0, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%k0, %x) : (tensor<i1>, tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>):
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %again = ov.less %k1, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i32>, tensor<3xi32>)
  }
  func.return %r, %s : tensor<i32>, tensor<3xi32>
}

// also if the bound is carried along.
// CHECK-LABEL: func.func @one_trip_with_a_carried_bound(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<43>
// CHECK-NEXT: %[[B:.*]] = ov.multiply %x, %x
// CHECK-NEXT: func.return %[[A]], %[[B]], %[[A]]
func.func @one_trip_with_a_carried_bound(%x: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>, tensor<i32>) {
  %k0 = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %bound = ov.constant dense<43> : tensor<i32> : tensor<i32>
  %go = ov.less %k0, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%k0, %x, %bound) : (tensor<i1>, tensor<i32>, tensor<3xi32>, tensor<i32>) -> (tensor<i32>, tensor<3xi32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>, %b: tensor<i32>):
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %again = ov.less %k1, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w, %b : tensor<i32>, tensor<3xi32>, tensor<i32>)
  }
  func.return %r, %s, %t : tensor<i32>, tensor<3xi32>, tensor<i32>
}

// Two trips: a loop still.
// CHECK-LABEL: func.func @two_trips(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<3xi32>):
// CHECK-NEXT:   %[[E:.*]] = ov.multiply %[[D]], %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @two_trips(%x: tensor<3xi32>) -> tensor<3xi32> {
  %k0 = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %bound = ov.constant dense<44> : tensor<i32> : tensor<i32>
  %go = ov.less %k0, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%k0, %x) : (tensor<i1>, tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>):
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %again = ov.less %k1, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i32>, tensor<3xi32>)
  }
  func.return %s : tensor<3xi32>
}

// Values that change places in each trip are neither equal nor the same all along.
// CHECK-LABEL: func.func @swap(
// CHECK-NEXT: %[[A:.*]], %[[B:.*]] = ov.loop trip(%n) carried(%x, %y)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<i32>, %[[E:.*]]: tensor<i32>):
// CHECK-NEXT:   ov.next carried(%[[E]], %[[D]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @swap(%n: tensor<i64>, %x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>, %u: tensor<i32>):
    ov.next carried(%u, %v : tensor<i32>, tensor<i32>)
  }
  func.return %r, %s : tensor<i32>, tensor<i32>
}

// Nothing in the loop reads it, but it is another one after a trip.
// CHECK-LABEL: func.func @changed_by_the_first_trip(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%n) carried(%[[A]])
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<i32>):
// CHECK-NEXT:   ov.next carried(%[[B]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @changed_by_the_first_trip(%n: tensor<i64>) -> tensor<i32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %r = ov.loop trip(%n) carried(%zero) : (tensor<i64>, tensor<i32>) -> tensor<i32> {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>):
    ov.next carried(%one : tensor<i32>)
  }
  func.return %r : tensor<i32>
}

// Nothing inside or outside of the loop reads it.
// CHECK-LABEL: func.func @changed_but_never_read(
// CHECK-NEXT: %[[A:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[D:.*]] = ov.exp %[[C]]
// CHECK-NEXT:   ov.next carried(%[[D]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @changed_but_never_read(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>, %u: tensor<4xf32>):
    %w = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%one, %w : tensor<i32>, tensor<4xf32>)
  }
  func.return %s : tensor<4xf32>
}

// The first value is handed on twice: the second one is another after a trip.
// CHECK-LABEL: func.func @handed_on_twice(
// CHECK-NEXT: %[[A:.*]] = ov.loop trip(%n) carried(%y)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<i32>):
// CHECK-NEXT:   ov.next carried(%x {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %[[A]]
func.func @handed_on_twice(%n: tensor<i64>, %x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>, %u: tensor<i32>):
    ov.next carried(%v, %v : tensor<i32>, tensor<i32>)
  }
  func.return %r, %s : tensor<i32>, tensor<i32>
}

// Of three values one is only handed on; the body and the condition read the others.
// CHECK-LABEL: func.func @only_handed_on(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.less %[[A]], %y
// CHECK-NEXT: %[[C:.*]], %[[D:.*]] = ov.loop while(%[[B]]) carried(%z, %y)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[H:.*]] = ov.exp %[[F]]
// CHECK-NEXT:   %[[I:.*]] = ov.log %[[G]]
// CHECK-NEXT:   %[[J:.*]] = ov.less %[[A]], %[[I]]
// CHECK-NEXT:   ov.next while(%[[J]]) carried(%[[H]], %[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %[[C]]
func.func @only_handed_on(%x: tensor<4xf32>, %y: tensor<f32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %go = ov.less %zero, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%x, %z, %y) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>, %b: tensor<f32>):
    %w = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
    %b1 = ov.log %b : (tensor<f32>) -> tensor<f32>
    %again = ov.less %zero, %b1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%v, %w, %b1 : tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// What may fail in the body stays; the value that goes round beside it does not.
// CHECK-LABEL: func.func @only_handed_on_beside_what_may_fail(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%n) carried(%[[B]])
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[F:.*]] = ov.gather %y, %[[D]], %[[A]] {out_of_range = "error"}
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[E]], %[[F]]
// CHECK-NEXT:   ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %[[C]]
func.func @only_handed_on_beside_what_may_fail(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %r, %s = ov.loop trip(%n) carried(%x, %zero) : (tensor<i64>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<f32>):
    %p = ov.gather %y, %i, %axis {out_of_range = "error"} : (tensor<5xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.add %u, %p : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%v, %w : tensor<4xf32>, tensor<f32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<f32>
}

// An array that is handed on as it came is read from outside (XLA's pass does that for scalars only).
// CHECK-LABEL: func.func @carried_array_of_constants(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<[0, 1, 2]>
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<3xi32>):
// CHECK-NEXT:   %[[F:.*]] = ov.multiply %[[E]], %[[B]]
// CHECK-NEXT:   ov.next carried(%[[F]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]], %[[B]]
func.func @carried_array_of_constants(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %a = ov.constant dense<[0, 1, 2]> : tensor<3xi32> : tensor<3xi32>
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<3xi32>, %u: tensor<3xi32>):
    %w = ov.multiply %v, %u : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    ov.next carried(%w, %u : tensor<3xi32>, tensor<3xi32>)
  }
  func.return %r, %s : tensor<3xi32>, tensor<3xi32>
}

// All that is carried stays the constant that it begins as: no loop is left.
// CHECK-LABEL: func.func @only_a_constant(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: func.return %[[A]]
func.func @only_a_constant(%n: tensor<i64>) -> tensor<1xi32> {
  %a = ov.constant dense<0> : tensor<1xi32> : tensor<1xi32>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<1xi32>) -> tensor<1xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1xi32>):
    %b = ov.constant dense<0> : tensor<1xi32> : tensor<1xi32>
    ov.next carried(%b : tensor<1xi32>)
  }
  func.return %r : tensor<1xi32>
}

// Of three values the second is one constant all along; the third is another one once a trip has run.
// CHECK-LABEL: func.func @one_constant_of_three(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<10>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[D:.*]], %[[E:.*]] = ov.loop trip(%n) carried(%x, %[[A]])
// CHECK-NEXT: ^bb0(%[[F:.*]]: tensor<i64>, %[[G:.*]]: tensor<1xi32>, %[[H:.*]]: tensor<3xi32>):
// CHECK-NEXT:   %[[I:.*]] = ov.multiply %[[G]], %[[G]]
// CHECK-NEXT:   ov.next carried(%[[I]], %[[B]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]], %[[C]], %[[E]]
func.func @one_constant_of_three(%n: tensor<i64>, %x: tensor<1xi32>) -> (tensor<1xi32>, tensor<2xi32>, tensor<3xi32>) {
  %b = ov.constant dense<1> : tensor<2xi32> : tensor<2xi32>
  %c = ov.constant dense<2> : tensor<3xi32> : tensor<3xi32>
  %ten = ov.constant dense<10> : tensor<3xi32> : tensor<3xi32>
  %r, %s, %t = ov.loop trip(%n) carried(%x, %b, %c) : (tensor<i64>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>) -> (tensor<1xi32>, tensor<2xi32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xi32>, %u: tensor<2xi32>, %w: tensor<3xi32>):
    %v1 = ov.multiply %v, %v : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %u1 = ov.constant dense<1> : tensor<2xi32> : tensor<2xi32>
    ov.next carried(%v1, %u1, %ten : tensor<1xi32>, tensor<2xi32>, tensor<3xi32>)
  }
  func.return %r, %s, %t : tensor<1xi32>, tensor<2xi32>, tensor<3xi32>
}
