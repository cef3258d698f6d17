// Constants move in front of a loop; an operation that xDSL does not know is none.
// RUN: loomir-opt %s -p canonicalize --allow-unregistered-dialect --verify-each | filecheck %s

// CHECK-LABEL: func.func @unregistered
// CHECK: [[ONE:%\S+]] = arith.constant 1.000000e+00 : f32
// CHECK: scf.for [[I:%\S+]] =
// CHECK-NEXT: [[T:%\S+]] = "foo.tick"() : () -> i32
// CHECK-NEXT: [[U:%\S+]] = "foo.use"([[I]], [[T]], [[ONE]]) : (index, i32, f32) -> i32
// CHECK-NEXT: "foo.sink"([[U]]) : (i32) -> ()
// CHECK-NEXT: }
func.func @unregistered(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %one = arith.constant 1.0 : f32
    %t = "foo.tick"() : () -> i32
    %u = "foo.use"(%i, %t, %one) : (index, i32, f32) -> i32
    "foo.sink"(%u) : (i32) -> ()
    scf.yield
  }
  func.return
}

// Floats are folded in their type's own arithmetic: what is too large for it is infinite.
// CHECK-LABEL: func.func @too_large
// CHECK-DAG: [[P:%\S+]] = arith.constant 0x7f800000 : f32
// CHECK-DAG: [[M:%\S+]] = arith.constant 0xff800000 : f32
// CHECK-DAG: [[H:%\S+]] = arith.constant 0x7c00 : f16
// CHECK-DAG: [[D:%\S+]] = arith.constant 0x7ff0000000000000 : f64
// CHECK-DAG: [[T:%\S+]] = arith.constant 0.333333343 : f32
// CHECK: func.return [[P]], [[M]], [[H]], [[D]], [[T]] : f32, f32, f16, f64, f32
func.func @too_large() -> (f32, f32, f16, f64, f32) {
  %x = arith.constant 1.0e+30 : f32
  %zero = arith.constant 0.0 : f32
  %h = arith.constant 65504.0 : f16
  %d = arith.constant 1.0e+300 : f64
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3.0 : f32
  %p = arith.mulf %x, %x : f32
  %m = arith.subf %zero, %p : f32
  %g = arith.addf %h, %h : f16
  %e = arith.mulf %d, %d : f64
  %t = arith.divf %one, %three : f32
  func.return %p, %m, %g, %e, %t : f32, f32, f16, f64, f32
}

// CHECK-LABEL: func.func @reassociated
// CHECK-SAME: ([[A:%\S+]]: f32)
// CHECK-NEXT: [[C:%\S+]] = arith.constant 0x7f800000 : f32
// CHECK-NEXT: [[R:%\S+]] = arith.mulf [[C]], [[A]] fastmath<reassoc> : f32
// CHECK-NEXT: func.return [[R]] : f32
func.func @reassociated(%a: f32) -> f32 {
  %x = arith.constant 1.0e+30 : f32
  %r = arith.mulf %a, %x fastmath<reassoc> : f32
  %s = arith.mulf %x, %r fastmath<reassoc> : f32
  func.return %s : f32
}

// One of the two may not be reassociated.
// CHECK-LABEL: func.func @as_written
// CHECK: arith.mulf
// CHECK: arith.mulf
func.func @as_written(%a: f32) -> f32 {
  %x = arith.constant 1.0e+30 : f32
  %r = arith.mulf %a, %x : f32
  %s = arith.mulf %x, %r fastmath<reassoc> : f32
  func.return %s : f32
}
