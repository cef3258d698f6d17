// RUN: loomir-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s
// Each function is one rewrite of `scf.for`, or a near miss. "test.*" is unknown, and so does something.

// CHECK-LABEL: func.func @handed_on_unchanged
// CHECK-NEXT: %x = "test.a"() : () -> i32
// CHECK-NEXT: func.return %x : i32
func.func @handed_on_unchanged(%l: index, %u: index, %s: index) -> i32 {
  %x = "test.a"() : () -> i32
  %r = scf.for %i = %l to %u step %s iter_args(%v = %x) -> (i32) {
    scf.yield %v : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @handed_on_unchanged_beside_another
// CHECK-NEXT: %x = "test.a"() : () -> i32
// CHECK-NEXT: %y = "test.a"() : () -> i32
// CHECK-NEXT: %r = scf.for %i = %l to %u step %s iter_args(%b = %x) -> (i32) {
// CHECK-NEXT: %n = "test.b"(%y) : (i32) -> i32
// CHECK-NEXT: scf.yield %n : i32
// CHECK-NEXT: } {some_attribute}
// CHECK-NEXT: func.return %x, %r, %y : i32, i32, i32
func.func @handed_on_unchanged_beside_another(%l: index, %u: index, %s: index) -> (i32, i32, i32) {
  %x = "test.a"() : () -> i32
  %y = "test.a"() : () -> i32
  %r:3 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %x, %c = %y) -> (i32, i32, i32) {
    %n = "test.b"(%c) : (i32) -> i32
    scf.yield %a, %n, %c : i32, i32, i32
  } {some_attribute}
  func.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// CHECK-LABEL: func.func @same_from_the_first_iteration_on
// CHECK-NEXT: func.return %y : tensor<4xf32>
func.func @same_from_the_first_iteration_on(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    scf.yield %y : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// It may run no iteration: of numbers one is selected. Near miss: tensors.
// CHECK-LABEL: func.func @same_from_an_iteration_on_that_may_not_come
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi slt, %c0, %n : index
// CHECK-NEXT: %[[R:.*]] = arith.select %[[RUNS]], %y, %x : i32
// CHECK-NEXT: %[[S:.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%w = %t) -> (tensor<4xf32>) {
// CHECK-NEXT: scf.yield %u : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[S]] : i32, tensor<4xf32>
func.func @same_from_an_iteration_on_that_may_not_come(%n: index, %x: i32, %y: i32, %t: tensor<4xf32>, %u: tensor<4xf32>) -> (i32, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %w = %t) -> (i32, tensor<4xf32>) {
    scf.yield %y, %u : i32, tensor<4xf32>
  }
  func.return %r#0, %r#1 : i32, tensor<4xf32>
}

// CHECK-LABEL: func.func @begins_as_it_goes_on
// CHECK-NEXT: scf.for %i = %l to %u step %s {
// CHECK-NEXT: "test.a"(%x) : (i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @begins_as_it_goes_on(%l: index, %u: index, %s: index, %x: i32) {
  %r = scf.for %i = %l to %u step %s iter_args(%v = %x) -> (i32) {
    "test.a"(%v) : (i32) -> ()
    scf.yield %x : i32
  }
  func.return
}

// CHECK-LABEL: func.func @no_iteration
// CHECK-NEXT: %x = "test.a"() : () -> i32
// CHECK-NEXT: func.return %x : i32
func.func @no_iteration() -> i32 {
  %c1 = arith.constant 1 : index
  %c42 = arith.constant 42 : index
  %x = "test.a"() : () -> i32
  %r = scf.for %i = %c42 to %c1 step %c1 iter_args(%v = %x) -> (i32) {
    %0 = "test.b"(%i, %v) : (index, i32) -> i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @from_a_value_to_the_same
// CHECK-NEXT: %x = "test.a"() : () -> i32
// CHECK-NEXT: func.return %x : i32
func.func @from_a_value_to_the_same(%n: index, %s: index) -> i32 {
  %x = "test.a"() : () -> i32
  %r = scf.for %i = %n to %n step %s iter_args(%v = %x) -> (i32) {
    %0 = "test.b"(%i, %v) : (index, i32) -> i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// One iteration: by a step of 1, by one that goes beyond the bound, and by one that just reaches it.
// CHECK-LABEL: func.func @one_iteration
// CHECK-NEXT: %c5 = arith.constant 5 : index
// CHECK-NEXT: %x = "test.a"() : () -> i32
// CHECK-NEXT: %r = "test.b"(%c5, %x) : (index, i32) -> i32
// CHECK-NEXT: %s = "test.c"(%c5, %x) : (index, i32) -> i32
// CHECK-NEXT: %t = "test.d"(%c5, %x) : (index, i32) -> i32
// CHECK-NEXT: func.return %r, %s, %t : i32, i32, i32
func.func @one_iteration() -> (i32, i32, i32) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c11 = arith.constant 11 : index
  %x = "test.a"() : () -> i32
  %r = scf.for %i = %c5 to %c6 step %c1 iter_args(%v = %x) -> (i32) {
    %0 = "test.b"(%i, %v) : (index, i32) -> i32
    scf.yield %0 : i32
  }
  %s = scf.for %i = %c5 to %c6 step %c6 iter_args(%v = %x) -> (i32) {
    %0 = "test.c"(%i, %v) : (index, i32) -> i32
    scf.yield %0 : i32
  }
  %t = scf.for %i = %c5 to %c11 step %c6 iter_args(%v = %x) -> (i32) {
    %0 = "test.d"(%i, %v) : (index, i32) -> i32
    scf.yield %0 : i32
  }
  func.return %r, %s, %t : i32, i32, i32
}

// CHECK-LABEL: func.func @one_step_apart
// CHECK-NEXT: "test.a"(%a) : (index) -> ()
// CHECK-NEXT: func.return
func.func @one_step_apart(%a: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = arith.addi %a, %c1 overflow<nsw> : index
  scf.for %i = %a to %b step %c2 {
    "test.a"(%i) : (index) -> ()
    scf.yield
  }
  func.return
}

// Near misses: the sum may wrap around, and there are two iterations.
// CHECK-LABEL: func.func @more_than_one_step_apart
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %b = arith.addi %a, %c1 : index
// CHECK-NEXT: scf.for %i = %a to %b step %c1 {
// CHECK-NEXT: "test.a"(%i) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %c = arith.addi %a, %c2 overflow<nsw> : index
// CHECK-NEXT: scf.for %i_1 = %a to %c step %c1 {
// CHECK-NEXT: "test.b"(%i_1) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @more_than_one_step_apart(%a: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = arith.addi %a, %c1 : index
  scf.for %i = %a to %b step %c1 {
    "test.a"(%i) : (index) -> ()
    scf.yield
  }
  %c = arith.addi %a, %c2 overflow<nsw> : index
  scf.for %i = %a to %c step %c1 {
    "test.b"(%i) : (index) -> ()
    scf.yield
  }
  func.return
}

// CHECK-LABEL: func.func @constant_beside_a_sum
// CHECK-NEXT: %c32 = arith.constant 32 : i32
// CHECK-NEXT: %r = scf.for %i = %l to %u step %s iter_args(%a = %x) -> (i32) {
// CHECK-NEXT: %0 = arith.addi %a, %c32 : i32
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %c32 : i32, i32
func.func @constant_beside_a_sum(%l: index, %u: index, %s: index, %x: i32) -> (i32, i32) {
  %c32 = arith.constant 32 : i32
  %r:2 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %c32) -> (i32, i32) {
    %0 = arith.addi %a, %c32 : i32
    scf.yield %0, %c32 : i32, i32
  }
  func.return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: func.func @neither_read_nor_used
// CHECK-NEXT: %c32 = arith.constant 32 : i32
// CHECK-NEXT: %r = scf.for %i = %l to %u step %s iter_args(%a = %x) -> (i32) {
// CHECK-NEXT: %0 = arith.addi %a, %c32 : i32
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @neither_read_nor_used(%l: index, %u: index, %s: index, %x: i32) -> i32 {
  %c32 = arith.constant 32 : i32
  %r:2 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %c32) -> (i32, i32) {
    %0 = arith.addi %a, %c32 : i32
    scf.yield %0, %0 : i32, i32
  }
  func.return %r#0 : i32
}

// CHECK-LABEL: func.func @equal_values
// CHECK-NEXT: %r, %r_1 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y) -> (index, index) {
// CHECK-NEXT: %0 = arith.addi %a, %b : index
// CHECK-NEXT: %1 = arith.addi %b, %a : index
// CHECK-NEXT: scf.yield %0, %1 : index, index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r_1, %r_1, %r : index, index, index, index
func.func @equal_values(%l: index, %u: index, %s: index, %x: index, %y: index) -> (index, index, index, index) {
  %r:4 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y, %c = %y, %d = %x) -> (index, index, index, index) {
    %0 = arith.addi %a, %b : index
    %1 = arith.addi %c, %d : index
    scf.yield %0, %1, %1, %0 : index, index, index, index
  }
  func.return %r#0, %r#1, %r#2, %r#3 : index, index, index, index
}

// Near misses: alike at the beginning only, alike from then on only.
// CHECK-LABEL: func.func @values_that_become_different
// CHECK-NEXT: %r, %r_1, %r_2 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %x, %c = %y) -> (i32, i32, i32) {
// CHECK-NEXT: %0 = "test.a"(%a, %b, %c) : (i32, i32, i32) -> i32
// CHECK-NEXT: %1 = "test.b"() : () -> i32
// CHECK-NEXT: scf.yield %0, %1, %1 : i32, i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r_1, %r_2 : i32, i32, i32
func.func @values_that_become_different(%l: index, %u: index, %s: index, %x: i32, %y: i32) -> (i32, i32, i32) {
  %r:3 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %x, %c = %y) -> (i32, i32, i32) {
    %0 = "test.a"(%a, %b, %c) : (i32, i32, i32) -> i32
    %1 = "test.b"() : () -> i32
    scf.yield %0, %1, %1 : i32, i32, i32
  }
  func.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// CHECK-LABEL: func.func @handed_round
// CHECK-NEXT: scf.for %i = %l to %u step %s {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %x, %y, %y, %y : i32, i32, i64, i64, i64
func.func @handed_round(%l: index, %u: index, %s: index, %x: i32, %y: i64) -> (i32, i32, i64, i64, i64) {
  %r:5 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %x, %c = %y, %d = %y, %e = %y) -> (i32, i32, i64, i64, i64) {
    "test.a"() : () -> ()
    scf.yield %b, %a, %d, %e, %c : i32, i32, i64, i64, i64
  }
  func.return %r#0, %r#1, %r#2, %r#3, %r#4 : i32, i32, i64, i64, i64
}

// What is handed on to a value from a round is only sometimes of it.
// CHECK-LABEL: func.func @handed_on_from_a_round
// CHECK-NEXT: %r = scf.for %i = %l to %u step %s iter_args(%a = %x) -> (i32) {
// CHECK-NEXT: "test.a"(%a) : (i32) -> ()
// CHECK-NEXT: scf.yield %y : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %y, %y : i32, i32, i32
func.func @handed_on_from_a_round(%l: index, %u: index, %s: index, %x: i32, %y: i32) -> (i32, i32, i32) {
  %r:3 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y, %c = %y) -> (i32, i32, i32) {
    "test.a"(%a) : (i32) -> ()
    scf.yield %b, %c, %b : i32, i32, i32
  }
  func.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// Two that change places go if nobody looks at either, and stay where one is looked at.
// CHECK-LABEL: func.func @changing_places
// CHECK-NEXT: scf.for %i = %l to %u step %s {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %t, %t_1 = scf.for %i_1 = %l to %u step %s iter_args(%a = %x, %b = %y) -> (i32, i32) {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: scf.yield %b, %a : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %t : i32
func.func @changing_places(%l: index, %u: index, %s: index, %x: i32, %y: i32) -> i32 {
  %r:2 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y) -> (i32, i32) {
    "test.a"() : () -> ()
    scf.yield %b, %a : i32, i32
  }
  %t:2 = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y) -> (i32, i32) {
    "test.b"() : () -> ()
    scf.yield %b, %a : i32, i32
  }
  func.return %t#0 : i32
}

// A bound below what the loop begins with: no iteration.
// CHECK-LABEL: @one_step_back
// CHECK-NEXT:    func.return
func.func @one_step_back(%a: index) {
  %less = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %b = arith.addi %a, %less overflow<nsw> : index
  scf.for %i = %a to %b step %c2 {
    "test.a"(%i) : (index) -> ()
  }
  func.return
}

// Carried values that begin as one and are computed alike are one, through several operations and crosswise.
// CHECK-LABEL: func.func @duplicates_computed_alike
// CHECK: %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
// CHECK-NEXT: %p = arith.mulf %a, %y : f32
// CHECK-NEXT: %q = arith.mulf %a, %y : f32
// CHECK-NEXT: %s = math.exp %p : f32
// CHECK-NEXT: %t = math.exp %q : f32
// CHECK-NEXT: "test.keep"(%t)
// CHECK-NEXT: scf.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r : f32, f32
func.func @duplicates_computed_alike(%n: index, %x: f32, %y: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) {
    %p = arith.mulf %a, %y : f32
    %q = arith.mulf %b, %y : f32
    %s = math.exp %p : f32
    %t = math.exp %q : f32
    "test.keep"(%t) : (f32) -> ()
    scf.yield %s, %t : f32, f32
  }
  func.return %r#0, %r#1 : f32, f32
}

// Near misses: another operand, another beginning, an effect.
// CHECK-LABEL: func.func @not_computed_alike
// CHECK: iter_args(%a = %x, %b = %x, %d = %y, %e = %x)
func.func @not_computed_alike(%n: index, %x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %d = %y, %e = %x) -> (f32, f32, f32, f32) {
    %p = arith.mulf %a, %y : f32
    %q = arith.mulf %b, %x : f32
    %s = arith.mulf %d, %y : f32
    %t = "test.a"(%e) : (f32) -> f32
    scf.yield %p, %q, %s, %t : f32, f32, f32, f32
  }
  func.return %r#0, %r#1, %r#2, %r#3 : f32, f32, f32, f32
}

// A counter by a multiple of the step.
// CHECK-LABEL: func.func @counter
// CHECK:      %[[K:.*]] = arith.constant 5 : index
// CHECK:      scf.for %i = %c1 to %n step %c2 {
// CHECK-NEXT:   %[[M:.*]] = arith.muli %i, %{{.*}} : index
// CHECK-NEXT:   %[[V:.*]] = arith.addi %[[M]], %[[K]] : index
// CHECK-NEXT:   "test.use"(%[[V]])
// CHECK-NOT:    scf.yield %
func.func @counter(%n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c1 to %n step %c2 iter_args(%k = %c8) -> (index) {
    "test.use"(%k) : (index) -> ()
    %next = arith.addi %k, %c6 : index
    scf.yield %next : index
  }
  func.return
}

// One that is the loop's variable in another type, and begins where that does; what it ends as.
// CHECK-LABEL: func.func @counter_of_another_type
// CHECK:      %[[LAST:.*]] = arith.maxsi %c0, %n : index
// CHECK-NEXT: %[[END:.*]] = arith.index_cast %[[LAST]] : index to i32
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:   %[[V:.*]] = arith.index_cast %i : index to i32
// CHECK-NEXT:   "test.use"(%[[V]])
// CHECK:      func.return %[[END]]
func.func @counter_of_another_type(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %zero) -> (i32) {
    "test.use"(%k) : (i32) -> ()
    %next = arith.addi %one, %k : i32
    scf.yield %next : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @counter_of_known_trips
// CHECK-NEXT: %[[R:.*]] = arith.constant 17 : i64
// CHECK-NEXT: func.return %[[R]] : i64
func.func @counter_of_known_trips() -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %r = scf.for %i = %c0 to %c9 step %c2 iter_args(%k = %two) -> (i64) {
    %next = arith.addi %k, %three : i64
    scf.yield %next : i64
  }
  func.return %r : i64
}

// Near misses: by no multiple of the step, by what the loop computes, by a step that is not known; of floats.
// CHECK-LABEL: func.func @no_counter
// CHECK: iter_args(%k = %c1, %m = %c1, %v = %x)
// CHECK: iter_args(%k{{.*}} = %c1)
func.func @no_counter(%n: index, %s: index, %x: f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.for %i = %c1 to %n step %c2 iter_args(%k = %c1, %m = %c1, %v = %x) -> (index, index, f32) {
    "test.use"(%k, %m, %v) : (index, index, f32) -> ()
    %a = arith.addi %k, %c3 : index
    %b = arith.addi %m, %i : index
    %w = arith.addf %v, %x : f32
    scf.yield %a, %b, %w : index, index, f32
  }
  %q = scf.for %i = %c1 to %n step %s iter_args(%k = %c1) -> (index) {
    "test.use"(%k) : (index) -> ()
    %a = arith.addi %k, %c3 : index
    scf.yield %a : index
  }
  func.return
}
