// RUN: loomir-opt %s -p lower-linalg-to-loops | filecheck %s

// A product: the fill's scalar starts the accumulator, one store per element.
// CHECK-LABEL: func.func @product
func.func @product(%a: memref<4x8xf32>, %x: memref<8xf32>, %o: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : memref<4x8xf32>, memref<8xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
// The four elements are one tile: they share the load of %x, and each has an accumulator.
// CHECK:       %[[R:.*]], %[[R1:.*]], %[[R2:.*]], %[[R3:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %zero, {{.*}} = %zero, {{.*}} = %zero, {{.*}} = %zero)
// CHECK-NEXT:    memref.load %a[%{{.*}}, %[[K]]]
// CHECK-NEXT:    %[[X:.*]] = memref.load %x[%[[K]]]
// CHECK-NEXT:    arith.mulf {{.*}}, %[[X]]
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[ACC]]
// CHECK-NEXT:    memref.load %a[%{{.*}}, %[[K]]]
// CHECK-NEXT:    arith.mulf {{.*}}, %[[X]]
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    memref.load %a
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    memref.load %a
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    scf.yield %[[S]]
// CHECK-NEXT:  }
// CHECK-NEXT:  memref.store %[[R]], %o
// CHECK-NEXT:  memref.store %[[R1]], %o
// CHECK-NEXT:  memref.store %[[R2]], %o
// CHECK-NEXT:  memref.store %[[R3]], %o

// Copies: one type and contiguous is memref.copy, a view is a loop; a loop that runs once is none.
// CHECK-LABEL: func.func @copies
func.func @copies(%a: memref<4x1xf32>, %b: memref<4x1xf32>, %c: memref<8x1xf32>) {
  linalg.copy ins(%a : memref<4x1xf32>) outs(%b : memref<4x1xf32>)
  %v = memref.subview %c[0, 0] [4, 1] [2, 1] : memref<8x1xf32> to memref<4x1xf32, strided<[2, 1]>>
  linalg.copy ins(%a : memref<4x1xf32>) outs(%v : memref<4x1xf32, strided<[2, 1]>>)
  func.return
}
// CHECK:       "memref.copy"(%a, %b)
// CHECK:       scf.for %[[I:.*]] =
// CHECK-NEXT:    %[[E:.*]] = memref.load %a[%[[I]], %{{.*}}]
// CHECK-NEXT:    memref.store %[[E]], %v[%[[I]], %{{.*}}]
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return

// Strided coordinates: the part of an outer loop is computed in that loop. Sixteen elements are two tiles of eight.
// CHECK-LABEL: func.func @window
func.func @window(%x: memref<33xf32>, %w: memref<3xf32>, %o: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : memref<33xf32>, memref<3xf32>) outs(%o : memref<16xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.maximumf %acc, %p : f32
    linalg.yield %m : f32
  }
  func.return
}
// CHECK:       scf.for %[[I:.*]] =
// CHECK-NEXT:    %[[B:.*]] = arith.muli %[[I]]
// CHECK:         %[[A:.*]] = memref.load %o[%[[I]]]
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[A]],
// CHECK:           %[[X:.*]] = arith.addi %[[B]], %[[K]]
// CHECK:           memref.load %x[%[[X]]]
// CHECK-NOT:       memref.load %w

// A dynamic extent is the operand of the view.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: memref<24xf32>, %n: index, %s: f32) {
  %v = memref.subview %x[0] [%n] [1] : memref<24xf32> to memref<?xf32, strided<[1]>>
  linalg.fill ins(%s : f32) outs(%v : memref<?xf32, strided<[1]>>)
  func.return
}
// CHECK:       scf.for %{{.*}} = %{{.*}} to %n step

