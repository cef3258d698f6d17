// RUN: loomir-opt %s --allow-unregistered-dialect -p mem2reg,remove-dead-values | filecheck %s
// RUN: loomir-opt %s --allow-unregistered-dialect -p mem2reg | filecheck %s --check-prefix=ALONE
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p mem2reg -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// Each function is one way of a value through memory, or a near miss.

// Stored and read in the next line, in each iteration: nothing is carried.
// CHECK-LABEL: func.func @next_line
// CHECK-NOT: memref
// CHECK: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: %s = "test.make"(%i) : (index) -> f32
// CHECK-NEXT: "test.use"(%s) : (f32) -> ()
// CHECK-NEXT: }
// ALONE-LABEL: func.func @next_line
// ALONE: arith.constant 0.000000e+00 : f32
// ALONE: iter_args
// REMARK: mem2reg: done: scf.for: carries the contents of buffers as values
func.func @next_line(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() : memref<1xf32>
  scf.for %i = %c0 to %n step %c1 {
    %s = "test.make"(%i) : (index) -> f32
    memref.store %s, %b[%c0] : memref<1xf32>
    %r = memref.load %b[%c0] : memref<1xf32>
    "test.use"(%r) : (f32) -> ()
  }
  func.return
}

// Carried by a for and returned, through views of the buffer.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: memref
// CHECK: %[[R:.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%[[A:.*]] = %x) -> (f32) {
// CHECK-NEXT: %s = arith.mulf %[[A]], %[[A]] : f32
// CHECK-NEXT: scf.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : f32
func.func @carried(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() : memref<1x1xf32>
  %v = memref.collapse_shape %b [[0 : i64, 1 : i64]] : memref<1x1xf32> into memref<1xf32>
  %w = memref.subview %v[%c0] [%c1] [1] : memref<1xf32> to memref<?xf32, strided<[1], offset: ?>>
  memref.store %x, %b[%c0, %c0] : memref<1x1xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %w[%c0] : memref<?xf32, strided<[1], offset: ?>>
    %s = arith.mulf %a, %a : f32
    memref.store %s, %v[%c0] : memref<1xf32>
  }
  %r = memref.load %b[%c0, %c0] : memref<1x1xf32>
  func.return %r : f32
}

// A branch without an else that stores: the value before it is that of the other arm.
// CHECK-LABEL: func.func @branch
// CHECK-NOT: memref
// CHECK: %[[R:.*]] = scf.if %c -> (i64) {
// CHECK-NEXT: scf.yield %y : i64
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %x : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : i64
func.func @branch(%x: i64, %y: i64, %c: i1) -> i64 {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<1xi64>
  memref.store %x, %b[%c0] : memref<1xi64>
  scf.if %c {
    memref.store %y, %b[%c0] : memref<1xi64>
  }
  %r = memref.load %b[%c0] : memref<1xi64>
  func.return %r : i64
}

// A branch in a while: both carry the value beside what they carry already, and the while keeps its normal form.
// CHECK-LABEL: func.func @while
// CHECK-NOT: memref
// CHECK: %r, %[[R:.*]] = scf.while (%k = %n, %[[B:.*]] = %t) : (i32, i1) -> (i32, i1) {
// CHECK-NEXT: scf.condition(%[[B]]) %k, %[[B]] : i32, i1
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%j: i32, %[[A:.*]]: i1):
// CHECK: %[[I:.*]] = scf.if %go -> (i1) {
// CHECK-NEXT: %[[S:.*]] = "test.make"() : () -> i1
// CHECK-NEXT: scf.yield %[[S]] : i1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A]] : i1
// CHECK: scf.yield %j, %[[I]] : i32, i1
// CHECK: func.return %[[R]] : i1
func.func @while(%n: i32, %t: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<1xi1>
  memref.store %t, %b[%c0] : memref<1xi1>
  %r = scf.while (%k = %n) : (i32) -> (i32) {
    %a = memref.load %b[%c0] : memref<1xi1>
    scf.condition(%a) %k : i32
  } do {
  ^bb0(%j: i32):
    %go = "test.condition"(%j) : (i32) -> i1
    scf.if %go {
      %s = "test.make"() : () -> i1
      memref.store %s, %b[%c0] : memref<1xi1>
    }
    scf.yield %j : i32
  }
  %last = memref.load %b[%c0] : memref<1xi1>
  func.return %last : i1
}

// Copies to and from memory that stays, and between two buffers.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: alloc
// CHECK: %[[V:.*]] = memref.load %x[%[[Z:.*]]] : memref<1xf32>
// CHECK-NEXT: memref.store %[[V]], %y[%[[Z]]] : memref<1xf32>
// CHECK-NEXT: func.return
func.func @copies(%x: memref<1xf32>, %y: memref<1xf32>) {
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  "memref.copy"(%x, %a) : (memref<1xf32>, memref<1xf32>) -> ()
  "memref.copy"(%a, %b) : (memref<1xf32>, memref<1xf32>) -> ()
  "memref.copy"(%b, %y) : (memref<1xf32>, memref<1xf32>) -> ()
  func.return
}

// Read before anything is stored.
// CHECK-LABEL: func.func @undefined
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0 : index
// CHECK: func.return %[[Z]] : index
func.func @undefined() -> index {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<1xindex>
  %r = memref.load %b[%c0] : memref<1xindex>
  func.return %r : index
}

// Near miss: two elements.
// CHECK-LABEL: func.func @two
// CHECK: memref.alloc() : memref<2xf32>
// CHECK: memref.store
// CHECK: memref.load
func.func @two(%x: f32, %i: index) -> f32 {
  %b = memref.alloc() : memref<2xf32>
  memref.store %x, %b[%i] : memref<2xf32>
  %r = memref.load %b[%i] : memref<2xf32>
  func.return %r : f32
}

// Near misses: it changes places with another buffer, and something else sees the address.
// CHECK-LABEL: func.func @elsewhere
// CHECK-COUNT-3: memref.alloc() : memref<1xf32>
// CHECK: memref.store
func.func @elsewhere(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  %c = memref.alloc() : memref<1xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<1xf32>, memref<1xf32>) {
    memref.store %x, %p[%c0] : memref<1xf32>
    scf.yield %q, %p : memref<1xf32>, memref<1xf32>
  }
  memref.store %x, %c[%c0] : memref<1xf32>
  "test.use"(%c) : (memref<1xf32>) -> ()
  func.return
}

// Near miss: the condition region stores.
// CHECK-LABEL: func.func @condition_stores
// CHECK: memref.alloc() : memref<1xi1>
func.func @condition_stores() {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<1xi1>
  scf.while () : () -> () {
    %s = "test.make"() : () -> i1
    memref.store %s, %b[%c0] : memref<1xi1>
    scf.condition(%s)
  } do {
    %a = memref.load %b[%c0] : memref<1xi1>
    "test.use"(%a) : (i1) -> ()
    scf.yield
  }
  func.return
}
