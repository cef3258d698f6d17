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

// Near miss: it may run no iteration.
// CHECK-LABEL: func.func @same_from_an_iteration_on_that_may_not_come
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
// CHECK-NEXT: scf.yield %y : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
func.func @same_from_an_iteration_on_that_may_not_come(%n: index, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    scf.yield %y : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
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

// Both bounds are sums of one value, and neither wraps around.
// CHECK-LABEL: func.func @two_sums_one_step_apart
// CHECK: "test.a"(%b) : (index) -> ()
// CHECK-NEXT: func.return
func.func @two_sums_one_step_apart(%a: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = arith.addi %a, %n overflow<nsw> : index
  %c = arith.addi %n, %c1 overflow<nsw> : index
  %d = arith.addi %c, %a overflow<nsw> : index
  scf.for %i = %b to %d step %c2 {
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

// Near miss: a loop over tiles that runs once by this program. The C compiler may choose smaller tiles.
// CHECK-LABEL: func.func @tile
// CHECK: scf.for %i = %c0 to %c8 step %c8 {
// CHECK: } {loomir.tile}
func.func @tile(%x: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c8 {
    memref.store %f, %x[%i] : memref<8xf32>
  } {loomir.tile}
  func.return
}
