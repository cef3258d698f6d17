// RUN: loomir-opt %s -p 'ov-bound-shapes{capacity=10},canonicalize' --split-input-file | filecheck %s
// RUN: loomir-opt %s -p 'ov-bound-shapes{capacity=10},canonicalize,convert-ov-loop-to-scf,convert-ov-to-linalg' --split-input-file | filecheck %s --check-prefix LOWERED

// A carried value that nothing reads goes, and what it was checked for with it; the bounds of the other one stay with it.
// CHECK:      %s = ov.loop while(%c) carried(%y) : (tensor<i1>, tensor<1xf32>) -> tensor<?xf32, #ov.bounds<10>> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %b: tensor<?xf32, #ov.bounds<10>>):
// CHECK-NEXT:   %f = ov.concat %b, %y
// CHECK-NEXT:   %[[F:.*]] = ov.check_bounds %f : (tensor<?xf32, #ov.bounds<11>>) -> tensor<?xf32, #ov.bounds<10>>
// CHECK-NEXT:   ov.next while(%c) carried(%[[F]] : tensor<?xf32, #ov.bounds<10>>)
// LOWERED: cf.assert %{{.*}}, "capacity: dimension 0 of a tensor is larger than 10"
// LOWERED-NOT: cf.assert
// LOWERED: func.return
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<?xf32> {
  %r, %s = ov.loop while(%c) carried(%x, %y) : (tensor<i1>, tensor<2xf32>, tensor<1xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %e = ov.concat %a, %x {axis = 0} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
    %f = ov.concat %b, %y {axis = 0} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next while(%c) carried(%e, %f : tensor<?xf32>, tensor<?xf32>)
  }
  func.return %s : tensor<?xf32>
}

// -----

// Growth that was extrapolated: 100 rows in the body, 101 behind it. Without the value in front of it, it is checked as before.
// CHECK:      ^bb0(%i: tensor<i64>, %b: tensor<?xf32, #ov.bounds<101>>):
// CHECK-NEXT:   %[[B:.*]] = ov.check_bounds %b : (tensor<?xf32, #ov.bounds<101>>) -> tensor<?xf32, #ov.bounds<100>>
// CHECK-NEXT:   %f = ov.concat %[[B]], %y
// CHECK-NEXT:   ov.next
// LOWERED: cf.assert %{{.*}}, "capacity: dimension 0 of a tensor is larger than 100"
func.func @main(%x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<?xf32> {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<?xf32>):
    %e = ov.add %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %f = ov.concat %b, %y {axis = 0} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next carried(%e, %f : tensor<2xf32>, tensor<?xf32>)
  }
  func.return %s : tensor<?xf32>
}
