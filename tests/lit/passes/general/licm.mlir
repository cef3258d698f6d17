// What surely stops no program moves in front of a loop that may run no iteration; what may fail stays.
// RUN: loomir-opt %s -p licm | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK: arith.mulf
// CHECK-NEXT: tensor.extract %t[%c1]
// CHECK-NEXT: arith.remsi %a, %seven
// CHECK-NEXT: scf.for
// CHECK-NEXT: tensor.extract %t[%k]
// CHECK-NEXT: arith.remsi %a, %b
// CHECK-NEXT: arith.floordivsi %a, %minus
// CHECK-NEXT: arith.shli %a, %b
// CHECK-NEXT: tensor.extract_slice %t[%k]
func.func @main(%n: index, %k: index, %t: tensor<4xf32>, %x: f32, %a: i32, %b: i32) -> (f32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %minus = arith.constant -1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %int = %i0) -> (f32, i32) {
    %s = arith.mulf %x, %x : f32
    %known = tensor.extract %t[%c1] : tensor<4xf32>
    %rest = arith.remsi %a, %seven : i32
    %e = tensor.extract %t[%k] : tensor<4xf32>
    %d = arith.remsi %a, %b : i32
    %f = arith.floordivsi %a, %minus : i32
    %g = arith.shli %a, %b : i32
    %p = tensor.extract_slice %t[%k] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %h = tensor.extract %p[%c0] : tensor<1xf32>
    %1 = arith.addf %s, %e : f32
    %2 = arith.addf %1, %known : f32
    %3 = arith.addf %2, %h : f32
    %4 = arith.addf %acc, %3 : f32
    %5 = arith.addi %d, %f : i32
    %6 = arith.addi %5, %g : i32
    %7 = arith.addi %6, %rest : i32
    %8 = arith.addi %int, %7 : i32
    scf.yield %4, %8 : f32, i32
  }
  func.return %r#0, %r#1 : f32, i32
}

// What has effects stays, in a loop that surely runs too.
// CHECK-LABEL: @stores
// CHECK:       scf.for
// CHECK-NEXT:    memref.store %x
// CHECK-NEXT:    %v = memref.load
// CHECK-NEXT:    memref.store %y
func.func @stores(%m: memref<4xf32>, %x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %x) -> (f32) {
    memref.store %x, %m[%c0] : memref<4xf32>
    %v = memref.load %m[%i] : memref<4xf32>
    memref.store %y, %m[%c0] : memref<4xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  func.return %r : f32
}
