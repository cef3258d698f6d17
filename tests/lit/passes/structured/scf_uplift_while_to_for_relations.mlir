// RUN: loomir-opt %s --allow-unregistered-dialect -p scf-uplift-while-to-for | filecheck %s
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p scf-uplift-while-to-for -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: left: scf.while: the counter may wrap around before the bound with a step of -2
// REMARK-DAG: left: scf.while: the counter may miss the bound with a step of 1
// REMARK-DAG: left: scf.while: the counter misses the bound with a step of 4
// REMARK-DAG: left: scf.while: its condition is counter == bound, with a step of 1
// Counters to bounds of all relations, and falling ones, or near misses. "test.*" is unknown, and so does something.

// `<=` to a bound that is not the last number.
// CHECK-LABEL: func.func @up_to
// CHECK:      %[[ONE:[0-9]+]] = arith.constant 1 : i32
// CHECK-NEXT: %[[U:.*]] = arith.addi %u, %[[ONE]] : i32
// CHECK-NEXT: scf.for %i = %l to %[[U]] step %[[ONE]] : i32 {
// CHECK-NEXT: "test.a"(%i)
// CHECK-NEXT: }
// CHECK-NEXT: %r = arith.maxsi %l, %[[U]] : i32
func.func @up_to(%l: i32, %k: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %mask = arith.constant 1023 : i32
  %u = arith.andi %k, %mask : i32
  %r = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi sle, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"(%i) : (i32) -> ()
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  func.return %r : i32
}

// Falling by 1, whatever the bounds are.
// CHECK-LABEL: func.func @down
// CHECK:      %[[ONE:[0-9]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[B:.*]] = arith.addi %u, %l : index
// CHECK-NEXT: scf.for %[[J:.*]] = %l to %u step %[[ONE]] {
// CHECK-NEXT: %i = arith.subi %[[B]], %[[J]] : index
// CHECK-NEXT: "test.a"(%i)
// CHECK-NEXT: }
// CHECK-NEXT: %r = arith.minsi %u, %l : index
func.func @down(%l: index, %u: index) -> index {
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %u) : (index) -> index {
    %c = arith.cmpi sgt, %i, %l : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    "test.a"(%i) : (index) -> ()
    %n = arith.subi %i, %c1 : index
    scf.yield %n : index
  }
  func.return %r : index
}

// Falling by 3 with `>=`, and a counter that nobody reads.
// CHECK-LABEL: func.func @down_to
// CHECK:      %[[THREE:[0-9]+]] = arith.constant 3 : i32
// CHECK-NEXT: %[[ONE:[0-9]+]] = arith.constant 1 : i32
// CHECK-NEXT: %[[L:.*]] = arith.subi %c0, %[[ONE]] : i32
// CHECK-NEXT: %{{.*}} = arith.addi %u, %[[L]] : i32
// CHECK-NEXT: scf.for %{{.*}} = %[[L]] to %u step %[[THREE]] : i32 {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %[[M:.*]] = arith.maxsi %u, %[[L]] : i32
// CHECK-NEXT: %[[D:.*]] = arith.subi %[[M]], %[[L]] : i32
// CHECK-NEXT: %[[T:.*]] = arith.ceildivui %[[D]], %[[THREE]] : i32
// CHECK-NEXT: %[[F:.*]] = arith.muli %[[T]], %[[THREE]] : i32
// CHECK-NEXT: %r = arith.subi %u, %[[F]] : i32
func.func @down_to(%k: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %less = arith.constant -3 : i32
  %mask = arith.constant 1023 : i32
  %u = arith.andi %k, %mask : i32
  %r = scf.while (%i = %u) : (i32) -> i32 {
    %c = arith.cmpi sle, %c0, %i : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"() : () -> ()
    %n = arith.addi %i, %less : i32
    scf.yield %n : i32
  }
  func.return %r : i32
}

// `!=` to a bound that the counter surely hits.
// CHECK-LABEL: func.func @not_equal
// CHECK:      scf.for %i = %c1 to %c10 step %{{.*}} : i32
// CHECK:      scf.for %{{.*}} = %c0 to %u step %{{.*}} : i32
func.func @not_equal(%k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c10 = arith.constant 10 : i32
  %mask = arith.constant 1023 : i32
  %u = arith.andi %k, %mask : i32
  %r = scf.while (%i = %c1) : (i32) -> i32 {
    %c = arith.cmpi ne, %i, %c10 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"(%i) : (i32) -> ()
    %n = arith.addi %i, %c3 : i32
    scf.yield %n : i32
  }
  %s = scf.while (%i = %u) : (i32) -> i32 {
    %c = arith.cmpi ne, %c0, %i : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"(%i) : (i32) -> ()
    %n = arith.subi %i, %c1 : i32
    scf.yield %n : i32
  }
  func.return
}

// Near misses: a bound that may be behind the counter, or that is missed; one that it goes round the end of its type to reach; a number
// that is taken from, not the counter; unsigned zero, below which there is nothing; a relation that holds once.
// CHECK-LABEL: func.func @missed
// CHECK-NOT:     scf.for
// CHECK-COUNT-6: scf.while
// CHECK-NOT:     scf.for
func.func @missed(%l: i32, %u: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c10 = arith.constant 10 : i32
  %mask = arith.constant 1023 : i32
  %p = arith.andi %k, %mask : i32
  %a = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi ne, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  %b = scf.while (%i = %c1) : (i32) -> i32 {
    %c = arith.cmpi ne, %i, %c10 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.addi %i, %c4 : i32
    scf.yield %n : i32
  }
  %d = scf.while (%i = %c10) : (i32) -> i32 {
    %c = arith.cmpi sgt, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.subi %i, %c2 : i32
    scf.yield %n : i32
  }
  %e = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.subi %c1, %i : i32
    scf.yield %n : i32
  }
  %f = scf.while (%i = %p) : (i32) -> i32 {
    %c = arith.cmpi uge, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.subi %i, %c1 : i32
    scf.yield %n : i32
  }
  %g = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi eq, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  func.return
}
