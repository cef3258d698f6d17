// Of equal operations the first stands for those that it dominates; regions are equal where their operations are, with their types.
// RUN: loomir-opt %s -p cse --split-input-file --allow-unregistered-dialect | filecheck %s

// CHECK-LABEL: func.func @inside
// CHECK-NEXT: %a = arith.addf %x, %y
// CHECK-NEXT: %r = scf.if %c
// CHECK-NEXT:   %m = arith.mulf %a, %a
// CHECK-NEXT:   scf.yield %m
// CHECK-NEXT: } else {
// CHECK-NEXT:   %n = arith.mulf %a, %a
// CHECK-NEXT:   scf.yield %n
// CHECK-NEXT: }
// CHECK-NEXT: func.return %a, %r
func.func @inside(%x: f32, %y: f32, %c: i1) -> (f32, f32) {
  %a = arith.addf %x, %y : f32
  %unused = arith.mulf %x, %y : f32
  %r = scf.if %c -> (f32) {
    %b = arith.addf %x, %y : f32
    %m = arith.mulf %b, %a : f32
    scf.yield %m : f32
  } else {
    %n = arith.mulf %a, %a : f32
    scf.yield %n : f32
  }
  func.return %a, %r : f32, f32
}

// -----

// The second branch gives what the third does; the first one goes through another type, the fourth has its arms the other way round.
// CHECK-LABEL: func.func @regions
// CHECK: %p = ov.if
// CHECK: %q = ov.if
// CHECK: %s = ov.if
// CHECK-NOT: ov.if
// CHECK: func.return %p, %q, %q, %s
func.func @regions(%x: tensor<f64>, %c: tensor<i1>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %p = ov.if %c -> (tensor<f64>) {
    %1 = builtin.unrealized_conversion_cast %x : tensor<f64> to tensor<i8>
    %2 = builtin.unrealized_conversion_cast %1 : tensor<i8> to tensor<f64>
    ov.yield %2 : tensor<f64>
  } else {
    ov.yield %x : tensor<f64>
  }
  %q = ov.if %c -> (tensor<f64>) {
    %1 = builtin.unrealized_conversion_cast %x : tensor<f64> to tensor<i16>
    %2 = builtin.unrealized_conversion_cast %1 : tensor<i16> to tensor<f64>
    ov.yield %2 : tensor<f64>
  } else {
    ov.yield %x : tensor<f64>
  }
  %r = ov.if %c -> (tensor<f64>) {
    %1 = builtin.unrealized_conversion_cast %x : tensor<f64> to tensor<i16>
    %2 = builtin.unrealized_conversion_cast %1 : tensor<i16> to tensor<f64>
    ov.yield %2 : tensor<f64>
  } else {
    ov.yield %x : tensor<f64>
  }
  %s = ov.if %c -> (tensor<f64>) {
    ov.yield %x : tensor<f64>
  } else {
    %1 = builtin.unrealized_conversion_cast %x : tensor<f64> to tensor<i16>
    %2 = builtin.unrealized_conversion_cast %1 : tensor<i16> to tensor<f64>
    ov.yield %2 : tensor<f64>
  }
  func.return %p, %q, %r, %s : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// -----

// What is read stays the same until something is written, in the same block.
// CHECK-LABEL: func.func @memory
// CHECK: %a = memref.load
// CHECK-NEXT: memref.store %a
// CHECK-NEXT: %d = memref.load
// CHECK-NEXT: %e = "foo.tick"
// CHECK-NEXT: %f = "foo.tick"
// CHECK-NEXT: func.return %a, %a, %d, %e, %f
func.func @memory(%m: memref<4xf32>, %i: index) -> (f32, f32, f32, f32, f32) {
  %a = memref.load %m[%i] : memref<4xf32>
  %b = memref.load %m[%i] : memref<4xf32>
  memref.store %b, %m[%i] : memref<4xf32>
  %d = memref.load %m[%i] : memref<4xf32>
  %e = "foo.tick"() : () -> f32
  %f = "foo.tick"() : () -> f32
  func.return %a, %b, %d, %e, %f : f32, f32, f32, f32, f32
}

// -----

// What one arm computes is not known in the other, nor behind both.
// CHECK-LABEL: func.func @arms
// CHECK: scf.if
// CHECK-NEXT: arith.mulf
// CHECK: } else {
// CHECK-NEXT: arith.mulf
// CHECK: }
// CHECK-NEXT: arith.mulf
func.func @arms(%x: f32, %c: i1) -> (f32, f32) {
  %r = scf.if %c -> (f32) {
    %a = arith.mulf %x, %x : f32
    scf.yield %a : f32
  } else {
    %a = arith.mulf %x, %x : f32
    scf.yield %a : f32
  }
  %b = arith.mulf %x, %x : f32
  func.return %r, %b : f32, f32
}

// -----

// What differs in a property alone is not the same.
// CHECK-LABEL: @other_properties
// CHECK-NEXT: %p = arith.cmpi slt, %x, %y
// CHECK-NEXT: %q = arith.cmpi sle, %x, %y
// CHECK-NEXT: func.return %p, %q, %p
func.func @other_properties(%x: i32, %y: i32) -> (i1, i1, i1) {
  %p = arith.cmpi slt, %x, %y : i32
  %q = arith.cmpi sle, %x, %y : i32
  %r = arith.cmpi slt, %x, %y : i32
  func.return %p, %q, %r : i1, i1, i1
}
