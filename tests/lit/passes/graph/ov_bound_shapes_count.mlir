// RUN: loomir-opt %s -p ov-bound-shapes --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-bound-shapes,cse,canonicalize,convert-ov-loop-to-scf,convert-ov-to-linalg,bufferize --split-input-file | filecheck %s --check-prefix ROOM

// As many elements as there were, whatever the extents: what only moves elements, or gives one for each, keeps the number.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  -> (tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>, {{.*}}, tensor<?x?xf32, #ov.bounds<100, 100>>)
// CHECK: ov.reshape {{.*}} -> tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>
// CHECK: ov.exp {{.*}} -> tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>
// CHECK: ov.transpose {{.*}} -> tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>
// CHECK: ov.add {{.*}} -> tensor<?x?xf32, #ov.bounds<100, 100, count = 100>>
// CHECK: ov.slice {{.*}} -> tensor<?x?xf32, #ov.bounds<7, 100, count = 100>>
// Two tensors of which nothing says that their extents are the same.
// CHECK: ov.multiply {{.*}} -> tensor<?x?xf32, #ov.bounds<100, 100>>
// ROOM-LABEL: func.func @main
// ROOM-SAME: %0: memref<100xf32> {loomir.type = tensor<?x?xf32>
// ROOM-SAME: %1: memref<100xf32> {loomir.type = tensor<?x?xf32>
// ROOM-SAME: %2: memref<10000xf32> {loomir.type = tensor<?x?xf32>
// ROOM-NEXT: memref.alloc() : memref<100xf32>
func.func @main(%x: tensor<100xf32>, %s: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %seven = ov.constant dense<7> : tensor<1xi64> : tensor<1xi64>
  %half = ov.constant dense<0.5> : tensor<1xf32> : tensor<1xf32>
  %r = ov.reshape %x, %s : (tensor<100xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %e = ov.exp %r : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = ov.transpose %e, %order : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %a = ov.add %t, %half : (tensor<?x?xf32>, tensor<1xf32>) -> tensor<?x?xf32>
  %p = ov.slice %a, %zero, %seven, %one, %zero : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %m = ov.multiply %a, %t : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %a, %p, %m : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// What a branch gives is one of the two; what a loop carries, the first value or a next one.
// CHECK: ov.if {{.*}} -> (tensor<?x?xf32, #ov.bounds<6, 6, count = 12>>)
// CHECK: ov.loop {{.*}} -> tensor<?x?xf32, #ov.bounds<30, 30, count = 30>>
// CHECK: ^bb0(%i: tensor<i64>, %c: tensor<?x?xf32, #ov.bounds<30, 30, count = 30>>):
// ROOM-NOT: memref<{{36|900}}xf32>
// ROOM: func.return
func.func @main(%b: tensor<i1>, %n: tensor<i64>, %x: tensor<2x6xf32>, %y: tensor<6x1xf32>, %z: tensor<3x10xf32>, %s: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %r = ov.if %b -> (tensor<?x?xf32>) {
    ov.yield %x : tensor<2x6xf32>
  } else {
    ov.yield %y : tensor<6x1xf32>
  }
  %e = ov.exp %r : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = ov.loop trip(%n) carried(%z) : (tensor<i64>, tensor<3x10xf32>) -> (tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?x?xf32>):
    %q = ov.reshape %c, %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %t = ov.tanh %q : (tensor<?x?xf32>) -> tensor<?x?xf32>
    ov.next carried(%t : tensor<?x?xf32>)
  }
  func.return %e, %l : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// What a type says and does not follow is checked, a count as the extents.
// CHECK: %e = ov.exp %r : {{.*}} -> tensor<?x?xf32, #ov.bounds<100, ?>>
// CHECK: ov.check_bounds %e : {{.*}} -> tensor<?x?xf32, #ov.bounds<100, 50, count = 90>>
// ROOM: cf.assert {{.*}}, "capacity: dimension 1 of a tensor is larger than 50"
// ROOM: cf.assert {{.*}}, "capacity: a tensor has more than 90 elements"
// ROOM: memref<90xf32>
func.func @main(%x: tensor<100xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = ov.reshape %x, %s : (tensor<100xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %e = ov.exp %r : (tensor<?x?xf32>) -> tensor<?x?xf32, #ov.bounds<100, 50, count = 90>>
  %t = ov.tanh %e : (tensor<?x?xf32, #ov.bounds<100, 50, count = 90>>) -> tensor<?x?xf32>
  func.return %t : tensor<?x?xf32>
}
