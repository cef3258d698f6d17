// RUN: loomir-opt %s -p int-range-optimizations,canonicalize | filecheck %s

// Of an iteration number: the select, the assertion and the casts there and back.
// CHECK-LABEL: func.func @decided
// CHECK: scf.for %i = %c0 to %c32 step %c1 iter_args(
// CHECK-NEXT: memref.load %x[%i] : memref<64xf32>
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
func.func @decided(%x: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c32 step %c1 iter_args(%a = %zero) -> (f32) {
    %n = arith.index_cast %i : index to i64
    %v = arith.index_cast %n : i64 to index
    %negative = arith.cmpi slt, %v, %c0 : index
    %w = arith.addi %v, %c64 : index
    %k = arith.select %negative, %w, %v : index
    %low = arith.cmpi sge, %k, %c0 : index
    %high = arith.cmpi slt, %k, %c64 : index
    %inside = arith.andi %low, %high : i1
    cf.assert %inside, "index: a gather reads outside of its axis"
    %e = memref.load %x[%k] : memref<64xf32>
    %s = arith.addf %a, %e : f32
    scf.yield %s : f32
  }
  func.return %r : f32
}

// The greater of an iteration number and 0, and the lesser of it and the trip count.
// CHECK-LABEL: func.func @extrema
// CHECK: scf.for %i = %c0 to %c32 step %c1 {
// CHECK-NEXT: memref.store %f, %x[%i] : memref<64xf32>
func.func @extrema(%x: memref<64xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %a = arith.maxsi %c0, %i : index
    %b = arith.minsi %a, %c32 : index
    memref.store %f, %x[%b] : memref<64xf32>
  }
  func.return
}

// No cast to an index makes what is not negative so, also where it does not fit.
// CHECK-LABEL: func.func @limit
// CHECK-NEXT: %zero = arith.constant 0 : i64
// CHECK-NEXT: %p = arith.maxsi %n, %zero : i64
// CHECK-NEXT: %v = arith.index_cast %p : i64 to index
// CHECK-NEXT: func.return %v : index
func.func @limit(%n: i64) -> index {
  %c0 = arith.constant 0 : index
  %most = arith.constant 9223372036854775807 : index
  %zero = arith.constant 0 : i64
  %p = arith.maxsi %n, %zero : i64
  %v = arith.index_cast %p : i64 to index
  %negative = arith.cmpi slt, %v, %c0 : index
  %r = arith.select %negative, %most, %v : index
  func.return %r : index
}

// What an assertion has checked holds behind it: the second one is gone. In front of it nothing is known.
// CHECK-LABEL: func.func @asserted
// CHECK: cf.assert %{{.*}}, "index: first"
// CHECK-NOT: cf.assert
// CHECK: %[[B:.*]] = arith.constant true
// CHECK: func.return %[[B]] : i1
func.func @asserted(%i: index, %x: memref<8xf32>, %f: f32) -> i1 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %low = arith.cmpi sge, %i, %c0 : index
  %high = arith.cmpi slt, %i, %c8 : index
  %inside = arith.andi %low, %high : i1
  cf.assert %inside, "index: first"
  memref.store %f, %x[%i] : memref<8xf32>
  %again = arith.cmpi slt, %i, %c9 : index
  cf.assert %again, "index: second"
  func.return %again : i1
}

// Near miss: something in front of the assertion uses the value.
// CHECK-LABEL: func.func @used_in_front
// CHECK: cf.assert %{{.*}}, "index: first"
// CHECK: cf.assert %{{.*}}, "index: second"
func.func @used_in_front(%i: index) -> index {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %d = arith.addi %i, %c8 : index
  %high = arith.cmpi slt, %i, %c8 : index
  cf.assert %high, "index: first"
  %again = arith.cmpi slt, %i, %c9 : index
  cf.assert %again, "index: second"
  func.return %d : index
}

// Near miss: the assertion is in an arm, behind which it need not have run.
// CHECK-LABEL: func.func @in_an_arm
// CHECK: cf.assert %{{.*}}, "index: first"
// CHECK: cf.assert %{{.*}}, "index: second"
func.func @in_an_arm(%i: index, %c: i1) {
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  scf.if %c {
    %high = arith.cmpi slt, %i, %c8 : index
    cf.assert %high, "index: first"
  }
  %again = arith.cmpi slt, %i, %c9 : index
  cf.assert %again, "index: second"
  func.return
}

// Near misses: a number that need not fit 32 bits, and one that may be negative.
// CHECK-LABEL: func.func @unknown
// CHECK: arith.index_cast
// CHECK: arith.index_cast
// CHECK: arith.maxsi
func.func @unknown(%n: i64, %k: i32) -> (i64, i32) {
  %zero = arith.constant 0 : i32
  %v = arith.index_cast %n : i64 to index
  %m = arith.index_cast %v : index to i64
  %p = arith.maxsi %k, %zero : i32
  func.return %m, %p : i64, i32
}

// What was asserted before holds; not so in front of a branch in which it is asserted. `true and x` is x.
// CHECK-LABEL: func.func @asserted_before
// CHECK-SAME: (%x: i1, %y: i1)
// CHECK-NEXT: scf.if %y {
// CHECK-NEXT:   cf.assert %x, "a"
// CHECK-NEXT: }
// CHECK-NEXT: cf.assert %x, "b"
// CHECK-NEXT: func.return
func.func @asserted_before(%x: i1, %y: i1) {
  %true = arith.constant true
  %z = arith.andi %true, %x : i1
  scf.if %y {
    cf.assert %z, "a"
  }
  cf.assert %x, "b"
  scf.if %y {
    cf.assert %x, "c"
  }
  cf.assert %z, "d"
  func.return
}
