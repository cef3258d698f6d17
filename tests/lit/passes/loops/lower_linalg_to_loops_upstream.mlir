// REQUIRES: mlir-opt
// RUN: loomir-opt %s -p lower-linalg-to-loops | mlir-opt-22 | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT: linalg.
func.func @main(%x: memref<24xf32>, %n: index, %o: memref<8xf32>, %t: memref<4x2xf32>, %u: memref<2x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %n3 = arith.muli %n, %c3 : index
  %f = memref.subview %x[0] [%n3] [1] : memref<24xf32> to memref<?xf32, strided<[1]>>
  %s = memref.expand_shape %f [[0, 1]] output_shape [%n, 3] : memref<?xf32, strided<[1]>> into memref<?x3xf32>
  %g = memref.subview %o[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  linalg.fill ins(%zero : f32) outs(%g : memref<?xf32, strided<[1]>>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<?x3xf32>) outs(%g : memref<?xf32, strided<[1]>>) {
  ^bb0(%p: f32, %acc: f32):
    %m = arith.addf %acc, %p : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]} ins(%t : memref<4x2xf32>) outs(%u : memref<2x4xf32>) {
  ^bb0(%p: f32, %old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %e = arith.sitofp %k : i32 to f32
    %m = arith.mulf %p, %e : f32
    linalg.yield %m : f32
  }
  func.return
}
