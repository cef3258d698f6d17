// RUN: loomir-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s
// Carried values that are computed alike, or from the number of the iteration; or a near miss. "test.*" is unknown, and so does something.

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

// It may run no iteration: of numbers one is selected. Near misses: tensors, and a number that an iteration reads.
// CHECK-LABEL: func.func @selected
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi slt, %c0, %n : index
// CHECK-NEXT: %[[R:.*]] = arith.select %[[RUNS]], %y, %x : i32
// CHECK-NEXT: %[[S:.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%w = %t) -> (tensor<4xf32>) {
// CHECK-NEXT: scf.yield %u : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[S]] : i32, tensor<4xf32>
func.func @selected(%n: index, %x: i32, %y: i32, %t: tensor<4xf32>, %u: tensor<4xf32>) -> (i32, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %w = %t) -> (i32, tensor<4xf32>) {
    scf.yield %y, %u : i32, tensor<4xf32>
  }
  func.return %r#0, %r#1 : i32, tensor<4xf32>
}

// CHECK-LABEL: func.func @read_in_the_loop
// CHECK-NOT: arith.select
// CHECK: iter_args(%v = %x)
// CHECK-NOT: arith.select
// CHECK: func.return
func.func @read_in_the_loop(%n: index, %x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    "test.use"(%v) : (i32) -> ()
    scf.yield %y : i32
  }
  func.return %r : i32
}

// Near miss: what has effects may give something else each time.
// CHECK-LABEL: func.func @alike_with_effects
// CHECK: iter_args(%a = %x, %b = %x)
func.func @alike_with_effects(%n: index, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) {
    %p = "test.random"(%a) : (f32) -> f32
    %q = "test.random"(%b) : (f32) -> f32
    scf.yield %p, %q : f32, f32
  }
  func.return %r#0, %r#1 : f32, f32
}

// What is subtracted in each iteration counts, too. Near miss: what is subtracted from.
// CHECK-LABEL: func.func @counter_that_falls
// CHECK:      scf.for %i = %c0 to %n step %c1 iter_args(%m = %x) -> (i32) {
// CHECK-NEXT:   arith.subi %c, %m : i32
func.func @counter_that_falls(%n: index, %x: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = arith.constant 3 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %x, %m = %x) -> (i32, i32) {
    %k2 = arith.subi %k, %c : i32
    %m2 = arith.subi %c, %m : i32
    scf.yield %k2, %m2 : i32, i32
  }
  func.return %r#0, %r#1 : i32, i32
}

// What reads the number of the iteration reads it and 1 more, also as another integer: the loop begins at 1.
// CHECK-LABEL: func.func @begins_where_it_reads
// CHECK: %[[L:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[U:.*]] = arith.constant 10 : index
// CHECK-NEXT: scf.for %i = %[[L]] to %[[U]] step %c3 {
// CHECK-NEXT: %k = arith.index_cast %i : index to i32
// CHECK-NEXT: memref.store %k, %m[%i] : memref<64xi32>
func.func @begins_where_it_reads(%m: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c9 step %c3 {
    %j = arith.addi %i, %c1 : index
    %k = arith.index_cast %i : index to i32
    %l = arith.addi %k, %one : i32
    memref.store %l, %m[%j] : memref<64xi32>
  }
  func.return
}

// The number itself is read as well, or another sum; or a bound is not known.
// CHECK-LABEL: func.func @begins_where_it_begins
// CHECK-COUNT-3: scf.for %{{.*}} = %c0 to
func.func @begins_where_it_begins(%m: memref<64xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %j = arith.addi %i, %c1 : index
    memref.store %i, %m[%j] : memref<64xindex>
  }
  scf.for %i = %c0 to %c9 step %c1 {
    %j = arith.addi %i, %c1 : index
    %k = arith.addi %i, %c2 : index
    memref.store %k, %m[%j] : memref<64xindex>
  }
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    memref.store %j, %m[%j] : memref<64xindex>
  }
  func.return
}
