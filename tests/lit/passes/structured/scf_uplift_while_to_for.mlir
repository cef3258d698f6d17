// RUN: loomir-opt %s --allow-unregistered-dialect -p scf-uplift-while-to-for | filecheck %s
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p scf-uplift-while-to-for -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: scf-uplift-while-to-for: done: scf.while: it counts to a bound
// REMARK-DAG: left: scf.while: it compares unsigned numbers that may not fit a signed type
// REMARK-DAG: left: scf.while: the counter may wrap around before the bound with a step of 2
// REMARK-DAG: left: scf.while: the step of its counter is not a constant
// REMARK-DAG: left: scf.while: the counter may wrap around before the bound with a step of 1
// REMARK-DAG: left: scf.while: its condition is counter < bound, with a step of -1
// REMARK-DAG: left: scf.while: its before region has more than a comparison
// Each function is a while loop that counts to a bound, or a near miss. "test.*" is unknown, and so does something.

// CHECK-LABEL: func.func @counter
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.constant 1 : index
// CHECK-NEXT: scf.for %i = %l to %u step %0 {
// CHECK-NEXT: "test.a"(%i) : (index) -> ()
// CHECK-NEXT: %n = arith.addi %i, %c1 : index
// CHECK-NEXT: "test.b"(%n) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %r = arith.maxsi %l, %u : index
// CHECK-NEXT: func.return %r : index
func.func @counter(%l: index, %u: index) -> index {
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %l) : (index) -> index {
    %c = arith.cmpi slt, %i, %u : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    "test.a"(%i) : (index) -> ()
    %n = arith.addi %i, %c1 : index
    "test.b"(%n) : (index) -> ()
    scf.yield %n : index
  }
  func.return %r : index
}

// The bound on the left; the sum the other way round.
// CHECK-LABEL: func.func @exchanged
// CHECK-NEXT: %c1 = arith.constant 1 : i64
// CHECK-NEXT: %0 = arith.constant 1 : i64
// CHECK-NEXT: scf.for %i = %l to %u step %0 : i64 {
// CHECK-NEXT: "test.a"(%i) : (i64) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %r = arith.maxsi %l, %u : i64
// CHECK-NEXT: func.return %r : i64
func.func @exchanged(%l: i64, %u: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %r = scf.while (%i = %l) : (i64) -> i64 {
    %c = arith.cmpi sgt, %u, %i : i64
    scf.condition(%c) %i : i64
  } do {
  ^bb0(%i: i64):
    "test.a"(%i) : (i64) -> ()
    %n = arith.addi %c1, %i : i64
    scf.yield %n : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @other_values
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.constant 1 : index
// CHECK-NEXT: %r, %r_1 = scf.for %i = %l to %u step %0 iter_args(%v = %x, %w = %y) -> (i32, f32) {
// CHECK-NEXT: %1 = "test.a"(%v) : (i32) -> i32
// CHECK-NEXT: %2 = "test.b"(%w) : (f32) -> f32
// CHECK-NEXT: scf.yield %1, %2 : i32, f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r_1 : i32, f32
func.func @other_values(%l: index, %u: index, %x: i32, %y: f32) -> (i32, f32) {
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%v = %x, %i = %l, %w = %y) : (i32, index, f32) -> (i32, index, f32) {
    %c = arith.cmpi slt, %i, %u : index
    scf.condition(%c) %v, %i, %w : i32, index, f32
  } do {
  ^bb0(%v: i32, %i: index, %w: f32):
    %0 = "test.a"(%v) : (i32) -> i32
    %n = arith.addi %i, %c1 : index
    %1 = "test.b"(%w) : (f32) -> f32
    scf.yield %0, %n, %1 : i32, index, f32
  }
  func.return %r#0, %r#2 : i32, f32
}

// By a step of 3, to a bound that is far from where numbers end: what the counter ends as is a multiple.
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %c3 = arith.constant 3 : i32
// CHECK-NEXT: %mask = arith.constant 1023 : i32
// CHECK-NEXT: %u = arith.andi %k, %mask : i32
// CHECK-NEXT: %0 = arith.constant 3 : i32
// CHECK-NEXT: scf.for %i = %l to %u step %0 : i32 {
// CHECK-NEXT: "test.a"(%i) : (i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %1 = arith.maxsi %l, %u : i32
// CHECK-NEXT: %2 = arith.subi %1, %l : i32
// CHECK-NEXT: %3 = arith.ceildivui %2, %0 : i32
// CHECK-NEXT: %4 = arith.muli %3, %0 : i32
// CHECK-NEXT: %r = arith.addi %l, %4 : i32
// CHECK-NEXT: func.return %r : i32
func.func @step(%l: i32, %k: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %mask = arith.constant 1023 : i32
  %u = arith.andi %k, %mask : i32
  %r = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"(%i) : (i32) -> ()
    %n = arith.addi %i, %c3 : i32
    scf.yield %n : i32
  }
  func.return %r : i32
}

// Unsigned numbers that are not negative.
// CHECK-LABEL: func.func @unsigned
// CHECK-NEXT: %c0 = arith.constant 0 : i32
// CHECK-NEXT: %c1 = arith.constant 1 : i32
// CHECK-NEXT: %mask = arith.constant 1023 : i32
// CHECK-NEXT: %u = arith.andi %k, %mask : i32
// CHECK-NEXT: %0 = arith.constant 1 : i32
// CHECK-NEXT: scf.for %i = %c0 to %u step %0 : i32 {
// CHECK-NEXT: "test.a"(%i) : (i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @unsigned(%k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mask = arith.constant 1023 : i32
  %u = arith.andi %k, %mask : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi ugt, %u, %i : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"(%i) : (i32) -> ()
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  func.return
}

// Near misses: an unsigned bound of which nothing is known, a step that may go beyond the end, a step that nobody knows, `<=` to what may be the last number,
// and a condition that something is done for.
// CHECK-LABEL: func.func @near_misses
// CHECK-NEXT: %c1 = arith.constant 1 : i32
// CHECK-NEXT: %c2 = arith.constant 2 : i32
// CHECK-NEXT: %a = scf.while (%i = %l) : (i32) -> i32 {
// CHECK-NEXT: %c = arith.cmpi ult, %i, %u : i32
// CHECK-NEXT: scf.condition(%c) %i : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%i_1: i32):
// CHECK-NEXT: "test.a"(%i_1) : (i32) -> ()
// CHECK-NEXT: %n = arith.addi %i_1, %c1 : i32
// CHECK-NEXT: scf.yield %n : i32
// CHECK-NEXT: }
// CHECK-NEXT: %b = scf.while (%i_2 = %l) : (i32) -> i32 {
// CHECK-NEXT: %c_1 = arith.cmpi slt, %i_2, %u : i32
// CHECK-NEXT: scf.condition(%c_1) %i_2 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%i_3: i32):
// CHECK-NEXT: "test.b"(%i_3) : (i32) -> ()
// CHECK-NEXT: %n_1 = arith.addi %i_3, %c2 : i32
// CHECK-NEXT: scf.yield %n_1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %d = scf.while (%i_4 = %l) : (i32) -> i32 {
// CHECK-NEXT: %c_2 = arith.cmpi slt, %i_4, %u : i32
// CHECK-NEXT: scf.condition(%c_2) %i_4 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%i_5: i32):
// CHECK-NEXT: "test.c"(%i_5) : (i32) -> ()
// CHECK-NEXT: %n_2 = arith.addi %i_5, %s : i32
// CHECK-NEXT: scf.yield %n_2 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %e = scf.while (%i_6 = %l) : (i32) -> i32 {
// CHECK-NEXT: %c_3 = arith.cmpi sle, %i_6, %u : i32
// CHECK-NEXT: scf.condition(%c_3) %i_6 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%i_7: i32):
// CHECK-NEXT: "test.d"(%i_7) : (i32) -> ()
// CHECK-NEXT: %n_3 = arith.addi %i_7, %c1 : i32
// CHECK-NEXT: scf.yield %n_3 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %f = scf.while (%i_8 = %l) : (i32) -> i32 {
// CHECK-NEXT: %m = "test.e"() : () -> i32
// CHECK-NEXT: %c_4 = arith.cmpi slt, %i_8, %m : i32
// CHECK-NEXT: scf.condition(%c_4) %i_8 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%i_9: i32):
// CHECK-NEXT: %n_4 = arith.addi %i_9, %c1 : i32
// CHECK-NEXT: scf.yield %n_4 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @near_misses(%l: i32, %u: i32, %s: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.a"(%i) : (i32) -> ()
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  %b = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.b"(%i) : (i32) -> ()
    %n = arith.addi %i, %c2 : i32
    scf.yield %n : i32
  }
  %d = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.c"(%i) : (i32) -> ()
    %n = arith.addi %i, %s : i32
    scf.yield %n : i32
  }
  %e = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi sle, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    "test.d"(%i) : (i32) -> ()
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  %f = scf.while (%i = %l) : (i32) -> i32 {
    %m = "test.e"() : () -> i32
    %c = arith.cmpi slt, %i, %m : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  func.return
}

// Each stays: values that are exchanged, a bound that is carried, a counter that falls, an unsigned bound that may be large.
// CHECK-LABEL: func.func @nearly
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: scf.while
// CHECK-NOT:     scf.for
func.func @nearly(%l: i32, %u: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %less = arith.constant -1 : i32
  %r:2 = scf.while (%i = %l, %j = %u) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %u : i32
    scf.condition(%c) %j, %i : i32, i32
  } do {
  ^bb0(%i: i32, %j: i32):
    %n = arith.addi %i, %c1 : i32
    scf.yield %n, %j : i32, i32
  }
  %s:2 = scf.while (%i = %l, %b = %u) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi sgt, %b, %i : i32
    scf.condition(%c) %i, %b : i32, i32
  } do {
  ^bb0(%i: i32, %b: i32):
    %n = arith.addi %i, %c1 : i32
    %m = "test.a"(%b) : (i32) -> i32
    scf.yield %n, %m : i32, i32
  }
  %t = scf.while (%i = %l) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.addi %i, %less : i32
    scf.yield %n : i32
  }
  %v = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %u : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %n = arith.addi %i, %c1 : i32
    scf.yield %n : i32
  }
  %x = arith.addi %s#0, %t : i32
  %y = arith.addi %x, %v : i32
  func.return %r#0, %y : i32, i32
}

// The counter grows by 1 in two steps.
// CHECK-LABEL: func.func @two_sums
// CHECK: scf.for %i = %l to %u step
// CHECK: arith.maxsi %l, %u : index
func.func @two_sums(%l: index, %u: index) -> index {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %r = scf.while (%i = %l) : (index) -> index {
    %c = arith.cmpi slt, %i, %u : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %m = arith.addi %i, %c3 : index
    "test.a"(%m) : (index) -> ()
    %n = arith.subi %m, %c2 : index
    scf.yield %n : index
  }
  func.return %r : index
}
