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
