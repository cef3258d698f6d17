// RUN: loomir-opt %s --allow-unregistered-dialect -p scf-for-loop-peeling | filecheck %s
// RUN: loomir-opt %s --allow-unregistered-dialect -p "scf-for-loop-peeling{peel-front=true}" | filecheck %s --check-prefix=FRONT
// RUN: loomir-opt %s --allow-unregistered-dialect -p "scf-for-loop-peeling{skip-partial=false}" | filecheck %s --check-prefix=ALL
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p scf-for-loop-peeling -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: done: scf.for: peeled its last, partial iteration; decided 2 minima and comparisons
// REMARK-DAG: left: scf.for: its step of 4 divides its range
// REMARK-DAG: left: scf.for: its 1 trips leave nothing to peel
// REMARK-DAG: left: scf.for: its step of 0 is not positive
// Each function is a loop whose last iteration may be a part of a step, or a near miss. "test.*" is unknown, and so does something.

// Bounds and step that nobody knows, but that the loop does not begin below 0: the first loop has whole steps, the second what is left.
// CHECK-LABEL: func.func @bounds_that_nobody_knows
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %l = arith.maxsi %a, %c0 : index
// CHECK-NEXT: %0 = arith.constant 1 : index
// CHECK-NEXT: %1 = arith.maxsi %s, %0 : index
// CHECK-NEXT: %2 = arith.maxsi %u, %l : index
// CHECK-NEXT: %3 = arith.subi %2, %l : index
// CHECK-NEXT: %4 = arith.remui %3, %1 : index
// CHECK-NEXT: %5 = arith.subi %3, %4 : index
// CHECK-NEXT: %i = arith.addi %l, %5 : index
// CHECK-NEXT: %r = scf.for %i_1 = %l to %i step %s iter_args(%v = %x) -> (index) {
// CHECK-NEXT: %6 = arith.addi %v, %s : index
// CHECK-NEXT: scf.yield %6 : index
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = scf.for %i_2 = %i to %u step %s iter_args(%v_1 = %r) -> (index) {
// CHECK-NEXT: %d = arith.subi %u, %i : index
// CHECK-NEXT: %7 = arith.addi %v_1, %d : index
// CHECK-NEXT: scf.yield %7 : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_1 : index
func.func @bounds_that_nobody_knows(%a: index, %u: index, %s: index, %x: index) -> index {
  %c0 = arith.constant 0 : index
  %l = arith.maxsi %a, %c0 : index
  %r = scf.for %i = %l to %u step %s iter_args(%v = %x) -> (index) {
    %d = arith.subi %u, %i : index
    %m = arith.minsi %s, %d : index
    %0 = arith.addi %v, %m : index
    scf.yield %0 : index
  }
  func.return %r : index
}

// Two iterations, the second of them a part: straight code behind a loop that `canonicalize` takes for one iteration.
// CHECK-LABEL: func.func @two_iterations
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %0 = arith.constant 4 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %0 step %c4 iter_args(%v = %x) -> (i32) {
// CHECK-NEXT: %k = arith.index_cast %c4 : index to i32
// CHECK-NEXT: %1 = arith.addi %v, %k : i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = arith.constant 4 : index
// CHECK-NEXT: %d = arith.subi %c7, %2 : index
// CHECK-NEXT: %m = arith.minsi %d, %c4 : index
// CHECK-NEXT: %k_1 = arith.index_cast %m : index to i32
// CHECK-NEXT: %3 = arith.addi %r, %k_1 : i32
// CHECK-NEXT: func.return %3 : i32
func.func @two_iterations(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c4 iter_args(%v = %x) -> (i32) {
    %d = arith.subi %c7, %i : index
    %m = arith.minsi %d, %c4 : index
    %k = arith.index_cast %m : index to i32
    %0 = arith.addi %v, %k : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @constant_bounds
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c17 = arith.constant 17 : index
// CHECK-NEXT: %0 = arith.constant 16 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %0 step %c4 iter_args(%v = %x) -> (i32) {
// CHECK-NEXT: %k = arith.index_cast %c4 : index to i32
// CHECK-NEXT: %1 = arith.addi %v, %k : i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = arith.constant 16 : index
// CHECK-NEXT: %d = arith.subi %c17, %2 : index
// CHECK-NEXT: %m = arith.minsi %c4, %d : index
// CHECK-NEXT: %k_1 = arith.index_cast %m : index to i32
// CHECK-NEXT: %3 = arith.addi %r, %k_1 : i32
// CHECK-NEXT: func.return %3 : i32
// FRONT-LABEL: func.func @constant_bounds
// FRONT: %1 = arith.addi %x, %k : i32
// FRONT-NEXT: %2 = arith.constant 4 : index
// FRONT-NEXT: %r = scf.for %i = %2 to %c17 step %c4 iter_args(%v = %1) -> (i32) {
func.func @constant_bounds(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c17 = arith.constant 17 : index
  %r = scf.for %i = %c0 to %c17 step %c4 iter_args(%v = %x) -> (i32) {
    %d = arith.subi %c17, %i : index
    %m = arith.minsi %c4, %d : index
    %k = arith.index_cast %m : index to i32
    %0 = arith.addi %v, %k : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// Of another type, with a comparison and a choice.
// CHECK-LABEL: func.func @of_32_bits
// CHECK-NEXT: %c0 = arith.constant 0 : i32
// CHECK-NEXT: %c4 = arith.constant 4 : i32
// CHECK-NEXT: %c17 = arith.constant 17 : i32
// CHECK-NEXT: %0 = arith.constant 16 : i32
// CHECK-NEXT: %r = scf.for %i = %c0 to %0 step %c4 iter_args(%v = %x) -> (i32) : i32 {
// CHECK-NEXT: %d = arith.subi %c17, %i : i32
// CHECK-NEXT: %c = arith.constant false
// CHECK-NEXT: %m = arith.select %c, %d, %c4 : i32
// CHECK-NEXT: %1 = arith.addi %v, %m : i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = arith.constant 16 : i32
// CHECK-NEXT: %d_1 = arith.subi %c17, %2 : i32
// CHECK-NEXT: %c_1 = arith.cmpi slt, %d_1, %c4 : i32
// CHECK-NEXT: %m_1 = arith.select %c_1, %d_1, %c4 : i32
// CHECK-NEXT: %3 = arith.addi %r, %m_1 : i32
// CHECK-NEXT: func.return %3 : i32
func.func @of_32_bits(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c17 = arith.constant 17 : i32
  %r = scf.for %i = %c0 to %c17 step %c4 iter_args(%v = %x) -> (i32) : i32 {
    %d = arith.subi %c17, %i : i32
    %c = arith.cmpi slt, %d, %c4 : i32
    %m = arith.select %c, %d, %c4 : i32
    %0 = arith.addi %v, %m : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// The second loop runs once or not at all.
// CHECK-LABEL: func.func @bound_that_nobody_knows
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = arith.maxsi %u, %c0 : index
// CHECK-NEXT: %1 = arith.subi %0, %c0 : index
// CHECK-NEXT: %2 = arith.remui %1, %c4 : index
// CHECK-NEXT: %3 = arith.subi %1, %2 : index
// CHECK-NEXT: %i = arith.addi %c0, %3 : index
// CHECK-NEXT: %r = scf.for %i_1 = %c0 to %i step %c4 iter_args(%v = %x) -> (i32) {
// CHECK-NEXT: %k = arith.index_cast %c4 : index to i32
// CHECK-NEXT: %4 = arith.addi %v, %k : i32
// CHECK-NEXT: scf.yield %4 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = scf.for %i_2 = %i to %u step %c4 iter_args(%v_1 = %r) -> (i32) {
// CHECK-NEXT: %d = arith.subi %u, %i : index
// CHECK-NEXT: %k_1 = arith.index_cast %d : index to i32
// CHECK-NEXT: %5 = arith.addi %v_1, %k_1 : i32
// CHECK-NEXT: scf.yield %5 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_1 : i32
// FRONT-LABEL: func.func @bound_that_nobody_knows
// FRONT: %1 = arith.subi %0, %c0 : index
// FRONT-NEXT: %2 = arith.minui %1, %c4 : index
// FRONT-NEXT: %3 = arith.addi %c0, %2 : index
// FRONT-NEXT: %r = scf.for %i = %c0 to %3 step %c4 iter_args(%v = %x) -> (i32) {
// FRONT: %r_1 = scf.for %i_1 = %3 to %u step %c4 iter_args(%v_1 = %r) -> (i32) {
func.func @bound_that_nobody_knows(%u: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %u step %c4 iter_args(%v = %x) -> (i32) {
    %d = arith.subi %u, %i : index
    %m = arith.minui %c4, %d : index
    %k = arith.index_cast %m : index to i32
    %0 = arith.addi %v, %k : i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// The inner loop of whole steps is peeled, too; that of the part is not.
// CHECK-LABEL: func.func @loop_in_a_loop
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %0 = arith.maxsi %n, %c0 : index
// CHECK-NEXT: %1 = arith.subi %0, %c0 : index
// CHECK-NEXT: %2 = arith.remui %1, %c8 : index
// CHECK-NEXT: %3 = arith.subi %1, %2 : index
// CHECK-NEXT: %i = arith.addi %c0, %3 : index
// CHECK-NEXT: scf.for %i_1 = %c0 to %i step %c8 {
// CHECK-NEXT: %4 = arith.maxsi %n, %c0 : index
// CHECK-NEXT: %5 = arith.subi %4, %c0 : index
// CHECK-NEXT: %6 = arith.remui %5, %c8 : index
// CHECK-NEXT: %7 = arith.subi %5, %6 : index
// CHECK-NEXT: %j = arith.addi %c0, %7 : index
// CHECK-NEXT: scf.for %j_1 = %c0 to %j step %c8 {
// CHECK-NEXT: "test.a"(%c8, %c8) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %j_2 = %j to %n step %c8 {
// CHECK-NEXT: %e = arith.subi %n, %j : index
// CHECK-NEXT: "test.a"(%c8, %e) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_2 = %i to %n step %c8 {
// CHECK-NEXT: scf.for %j_3 = %c0 to %n step %c8 {
// CHECK-NEXT: %d = arith.subi %n, %i : index
// CHECK-NEXT: %e_1 = arith.subi %n, %j_3 : index
// CHECK-NEXT: %k = arith.minsi %c8, %e_1 : index
// CHECK-NEXT: "test.a"(%d, %k) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// ALL-LABEL: func.func @loop_in_a_loop
// ALL: scf.for
// ALL: scf.for
// ALL: scf.for
// ALL: scf.for
// ALL: scf.for
// ALL: scf.for
// ALL-NOT: scf.for
// ALL-LABEL: func.func @buffer
func.func @loop_in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    scf.for %j = %c0 to %n step %c8 {
      %d = arith.subi %n, %i : index
      %e = arith.subi %n, %j : index
      %m = arith.minsi %c8, %d : index
      %k = arith.minsi %c8, %e : index
      "test.a"(%m, %k) : (index, index) -> ()
    }
  }
  func.return
}

// Nothing is carried: it computes in a buffer.
// CHECK-LABEL: func.func @buffer
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = arith.maxsi %u, %c0 : index
// CHECK-NEXT: %1 = arith.subi %0, %c0 : index
// CHECK-NEXT: %2 = arith.remui %1, %c4 : index
// CHECK-NEXT: %3 = arith.subi %1, %2 : index
// CHECK-NEXT: %i = arith.addi %c0, %3 : index
// CHECK-NEXT: scf.for %i_1 = %c0 to %i step %c4 {
// CHECK-NEXT: %k = arith.index_cast %c4 : index to i32
// CHECK-NEXT: %4 = memref.load %b[] : memref<i32>
// CHECK-NEXT: %5 = arith.addi %4, %k : i32
// CHECK-NEXT: memref.store %5, %b[] : memref<i32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_2 = %i to %u step %c4 {
// CHECK-NEXT: %d = arith.subi %u, %i : index
// CHECK-NEXT: %k_1 = arith.index_cast %d : index to i32
// CHECK-NEXT: %6 = memref.load %b[] : memref<i32>
// CHECK-NEXT: %7 = arith.addi %6, %k_1 : i32
// CHECK-NEXT: memref.store %7, %b[] : memref<i32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @buffer(%u: index, %b: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %u step %c4 {
    %d = arith.subi %u, %i : index
    %m = arith.minsi %c4, %d : index
    %k = arith.index_cast %m : index to i32
    %0 = memref.load %b[] : memref<i32>
    %1 = arith.addi %0, %k : i32
    memref.store %1, %b[] : memref<i32>
  }
  func.return
}

// Near misses: steps that divide the range, one iteration, and a step that is none.
// CHECK-LABEL: func.func @near_misses
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: scf.for %i = %c0 to %c8 step %c4 {
// CHECK-NEXT: "test.a"(%i) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_1 = %c0 to %n step %c1 {
// CHECK-NEXT: "test.b"(%i_1) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_2 = %c0 to %c3 step %c4 {
// CHECK-NEXT: "test.c"(%i_2) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_3 = %c0 to %n step %c0 {
// CHECK-NEXT: "test.d"(%i_3) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @near_misses(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c4 {
    "test.a"(%i) : (index) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    "test.b"(%i) : (index) -> ()
  }
  scf.for %i = %c0 to %c3 step %c4 {
    "test.c"(%i) : (index) -> ()
  }
  scf.for %i = %c0 to %n step %c0 {
    "test.d"(%i) : (index) -> ()
  }
  func.return
}

// Near misses: how far it is from bound to bound may not fit a signed number; the next number may not fit its type behind the last one; and
// what is left at the end may be more or less than 2.
// CHECK-LABEL: func.func @what_is_not_known
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = arith.maxsi %u, %l : index
// CHECK-NEXT: %1 = arith.subi %0, %l : index
// CHECK-NEXT: %2 = arith.remui %1, %c4 : index
// CHECK-NEXT: %3 = arith.subi %1, %2 : index
// CHECK-NEXT: %i = arith.addi %l, %3 : index
// CHECK-NEXT: scf.for %i_1 = %l to %i step %c4 {
// CHECK-NEXT: %d = arith.subi %u, %i_1 : index
// CHECK-NEXT: %m = arith.minsi %c4, %d : index
// CHECK-NEXT: "test.a"(%m) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_2 = %i to %u step %c4 {
// CHECK-NEXT: %d_1 = arith.subi %u, %i : index
// CHECK-NEXT: %m_1 = arith.minsi %c4, %d_1 : index
// CHECK-NEXT: "test.a"(%m_1) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %4 = arith.maxsi %u, %c0 : index
// CHECK-NEXT: %5 = arith.subi %4, %c0 : index
// CHECK-NEXT: %6 = arith.remui %5, %c4 : index
// CHECK-NEXT: %7 = arith.subi %5, %6 : index
// CHECK-NEXT: %i_3 = arith.addi %c0, %7 : index
// CHECK-NEXT: scf.for %i_4 = %c0 to %i_3 step %c4 {
// CHECK-NEXT: %n = arith.addi %i_4, %c4 : index
// CHECK-NEXT: "test.b"(%n, %c2) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i_5 = %i_3 to %u step %c4 {
// CHECK-NEXT: %n_1 = arith.addi %i_3, %c4 : index
// CHECK-NEXT: %m_2 = arith.minsi %n_1, %u : index
// CHECK-NEXT: %d_2 = arith.subi %u, %i_3 : index
// CHECK-NEXT: %k = arith.minsi %c2, %d_2 : index
// CHECK-NEXT: "test.b"(%m_2, %k) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @what_is_not_known(%l: index, %u: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %l to %u step %c4 {
    %d = arith.subi %u, %i : index
    %m = arith.minsi %c4, %d : index
    "test.a"(%m) : (index) -> ()
  }
  scf.for %i = %c0 to %u step %c4 {
    %n = arith.addi %i, %c4 : index
    %m = arith.minsi %n, %u : index
    %d = arith.subi %u, %i : index
    %k = arith.minsi %c2, %d : index
    "test.b"(%m, %k) : (index, index) -> ()
  }
  func.return
}

// A step that divides the bound, and not the range; in whole steps what is left may be the step, and the next number the bound.
// CHECK-LABEL: @whole_steps
// CHECK:       scf.for %i = %c1 to %{{.*}} step %c4
// CHECK:       %[[LAST:.*]] = arith.constant 5 : index
// CHECK-NEXT:  "test.a"(%[[LAST]])
// CHECK:       scf.for %{{.*}} = %c0 to %[[SPLIT:.*]] step %c4
// CHECK:         arith.cmpi sgt
// CHECK:         arith.cmpi sge
// CHECK:       scf.for %{{.*}} = %[[SPLIT]] to %m step %c4
func.func @whole_steps(%u: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c1 to %c8 step %c4 {
    "test.a"(%i) : (index) -> ()
  }
  %n = arith.minsi %u, %c8 : index
  %m = arith.maxsi %n, %c0 : index
  scf.for %i = %c0 to %m step %c4 {
    %d = arith.subi %m, %i : index
    %p = arith.cmpi sgt, %d, %c4 : index
    %next = arith.addi %i, %c4 : index
    %q = arith.cmpi sge, %next, %m : index
    "test.b"(%p, %q) : (i1, i1) -> ()
  }
  func.return
}
