// RUN: loomir-opt %s --allow-unregistered-dialect -p sccp | filecheck %s
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p sccp -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// Each function is a value that is always one number, or a near miss.

// CHECK-LABEL: func.func @select
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %r = arith.constant 1 : i32
// CHECK-NEXT: func.return %r : i32
func.func @select(%x: i32) -> i32 {
  %true = arith.constant true
  %one = arith.constant 1 : i32
  %r = arith.select %true, %one, %x : i32
  func.return %r : i32
}

// CHECK-LABEL: func.func @known_condition
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %r = arith.constant 1 : i32
// CHECK-NEXT: func.return %r : i32
func.func @known_condition(%x: i32) -> i32 {
  %true = arith.constant true
  %r = scf.if %true -> (i32) {
    %one = arith.constant 1 : i32
    scf.yield %one : i32
  } else {
    scf.yield %x : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @same_in_both_arms
// CHECK-NEXT: %r = arith.constant 1 : i32
// CHECK-NEXT: func.return %r : i32
// REMARK-DAG: sccp: done: scf.if: a result is always 1
func.func @same_in_both_arms(%c: i1) -> i32 {
  %r = scf.if %c -> (i32) {
    %a = arith.constant 1 : i32
    scf.yield %a : i32
  } else {
    %b = arith.constant 3 : i32
    %two = arith.constant 2 : i32
    %0 = arith.subi %b, %two : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// Near misses: an arm gives what nobody knows, or another number; a zero of the other sign.
// CHECK-LABEL: func.func @other_in_one_arm
// CHECK-NEXT: %r, %r_1, %r_2 = scf.if %c -> (i32, i32, f32) {
// CHECK-NEXT: %a = arith.constant 1 : i32
// CHECK-NEXT: %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: scf.yield %a, %a, %z : i32, i32, f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %a_1 = arith.constant 2 : i32
// CHECK-NEXT: %z_1 = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: scf.yield %x, %a_1, %z_1 : i32, i32, f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r_1, %r_2 : i32, i32, f32
func.func @other_in_one_arm(%c: i1, %x: i32) -> (i32, i32, f32) {
  %r:3 = scf.if %c -> (i32, i32, f32) {
    %a = arith.constant 1 : i32
    %z = arith.constant 0.0 : f32
    scf.yield %a, %a, %z : i32, i32, f32
  } else {
    %a = arith.constant 2 : i32
    %z = arith.constant -0.0 : f32
    scf.yield %x, %a, %z : i32, i32, f32
  }
  func.return %r#0, %r#1, %r#2 : i32, i32, f32
}

// CHECK-LABEL: func.func @same_in_each_iteration
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: %r = arith.constant 0 : i32
// CHECK-NEXT: func.return %r : i32
// REMARK-DAG: sccp: done: scf.for: a result is always 0
func.func @same_in_each_iteration(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zero) -> (i32) {
    %0 = arith.addi %v, %v : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// Near miss: it doubles.
// CHECK-LABEL: func.func @other_in_each_iteration
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %one) -> (i32) {
// CHECK-NEXT: %0 = arith.addi %v, %v : i32
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @other_in_each_iteration(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %one) -> (i32) {
    %0 = arith.addi %v, %v : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// The arm that would change the value is never come to, since the value does not change.
// CHECK-LABEL: func.func @arm_that_is_never_come_to
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %twenty = arith.constant 20 : i32
// CHECK-NEXT: %r = arith.constant 1 : i32
// CHECK-NEXT: func.return %r : i32
func.func @arm_that_is_never_come_to(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %twenty = arith.constant 20 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %one) -> (i32) {
    %c = arith.cmpi ult, %v, %twenty : i32
    %w = scf.if %c -> (i32) {
      scf.yield %one : i32
    } else {
      %0 = arith.addi %v, %one : i32
      scf.yield %0 : i32
    }
    scf.yield %w : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @handed_on_by_a_while
// CHECK-NEXT: %two = arith.constant 2 : i32
// CHECK-NEXT: %r = arith.constant 2 : i32
// CHECK-NEXT: func.return %r : i32
func.func @handed_on_by_a_while(%n: i32) -> i32 {
  %two = arith.constant 2 : i32
  %r = scf.while (%v = %two) : (i32) -> i32 {
    %c = arith.cmpi sgt, %n, %v : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    scf.yield %v : i32
  }
  func.return %r : i32
}

// A condition that is true in each iteration, and values that come in another order.
// CHECK-LABEL: func.func @condition_that_is_always_true
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r = scf.while (%a = %c0, %b = %c1) : (index, index) -> index {
// CHECK-NEXT: %b_1 = arith.constant 1 : index
// CHECK-NEXT: %a_1 = arith.constant 0 : index
// CHECK-NEXT: %c = arith.constant true
// CHECK-NEXT: scf.condition(%c) %b_1 : index
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%b_2: index):
// CHECK-NEXT: %b_3 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.constant 1 : index
// CHECK-NEXT: scf.yield %c0, %0 : index, index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : index
func.func @condition_that_is_always_true() -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%a = %c0, %b = %c1) : (index, index) -> index {
    %c = arith.cmpi slt, %a, %c1 : index
    scf.condition(%c) %b : index
  } do {
  ^bb0(%b: index):
    %0 = arith.muli %b, %c1 : index
    scf.yield %c0, %0 : index, index
  }
  func.return %r : index
}

// 0 times what nobody knows; the loop is never gone on with.
// CHECK-LABEL: func.func @condition_that_is_false
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %r = arith.constant 0 : index
// CHECK-NEXT: func.return %r : index
func.func @condition_that_is_false(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.muli %x, %c0 : index
  %r = scf.while (%v = %zero) : (index) -> index {
    %c = arith.cmpi slt, %v, %c0 : index
    scf.condition(%c) %v : index
  } do {
  ^bb0(%v: index):
    %0 = arith.addi %v, %c1 : index
    scf.yield %0 : index
  }
  func.return %r : index
}

// Bounds of no iteration, and of at least one: what a loop begins with does not come out of it.
// CHECK-LABEL: func.func @known_bounds
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %r = arith.constant 1 : i32
// CHECK-NEXT: %s = arith.constant 1 : i32
// CHECK-NEXT: func.return %r, %s : i32, i32
func.func @known_bounds(%x: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c3 to %c0 step %c1 iter_args(%v = %one) -> (i32) {
    %0 = arith.addi %v, %x : i32
    scf.yield %0 : i32
  }
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (i32) {
    scf.yield %one : i32
  }
  func.return %r, %s : i32, i32
}

// What stops the program is not computed, nor is what depends on the machine.
// CHECK-LABEL: func.func @not_computed
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: %seven = arith.constant 7 : i32
// CHECK-NEXT: %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %0 = arith.divsi %seven, %zero : i32
// CHECK-NEXT: %1 = arith.divf %z, %z : f32
// CHECK-NEXT: %2 = math.exp %z : f32
// CHECK-NEXT: func.return %0, %1, %2 : i32, f32, f32
func.func @not_computed() -> (i32, f32, f32) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %z = arith.constant 0.0 : f32
  %0 = arith.divsi %seven, %zero : i32
  %1 = arith.divf %z, %z : f32
  %2 = math.exp %z : f32
  func.return %0, %1, %2 : i32, f32, f32
}

// In the types' own arithmetic.
// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT: %a = arith.constant 100 : i8
// CHECK-NEXT: %b = arith.constant -1 : i8
// CHECK-NEXT: %t = arith.constant true
// CHECK-NEXT: %x = arith.constant 1.000000e+30 : f32
// CHECK-NEXT: %0 = arith.constant -56 : i8
// CHECK-NEXT: %c = arith.constant 1 : i8
// CHECK-NEXT: %1 = arith.constant 127 : i8
// CHECK-NEXT: %2 = arith.constant false
// CHECK-NEXT: %3 = arith.constant 0x7f800000 : f32
// CHECK-NEXT: func.return %0, %1, %2, %3 : i8, i8, i1, f32
func.func @arithmetic() -> (i8, i8, i1, f32) {
  %a = arith.constant 100 : i8
  %b = arith.constant -1 : i8
  %t = arith.constant true
  %x = arith.constant 1.0e+30 : f32
  %0 = arith.addi %a, %a : i8
  %c = arith.constant 1 : i8
  %1 = arith.shrui %b, %c : i8
  %2 = arith.addi %t, %t : i1
  %3 = arith.mulf %x, %x : f32
  func.return %0, %1, %2, %3 : i8, i8, i1, f32
}

// Equal bounds: no iteration.
// CHECK-LABEL: func.func @equal_bounds
// CHECK: %r = arith.constant 1 : i32
// CHECK-NEXT: func.return %r : i32
func.func @equal_bounds(%x: i32) -> i32 {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c3 to %c3 step %c1 iter_args(%v = %one) -> (i32) {
    %0 = arith.addi %v, %x : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// What the arm that is taken hands on reaches the result: the loop carries two numbers.
// CHECK-LABEL: func.func @what_the_taken_arm_gives
// CHECK: %w = arith.constant 2 : i32
// CHECK: scf.yield %w : i32
// CHECK: func.return %r : i32
func.func @what_the_taken_arm_gives(%l: index, %u: index, %s: index) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %t = arith.constant true
  %r = scf.for %i = %l to %u step %s iter_args(%v = %one) -> (i32) {
    %w = scf.if %t -> (i32) {
      scf.yield %two : i32
    } else {
      scf.yield %one : i32
    }
    scf.yield %w : i32
  }
  func.return %r : i32
}
