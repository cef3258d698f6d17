// RUN: loomir-opt %s -p 'lower-linalg-to-loops' | filecheck %s
// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s --check-prefix=VECTORS

// Without vectors of the machine, neighbours that are summed up are a row of memory; with them, none is.
// VECTORS-NOT: memref.alloca
builtin.module {
  // CHECK-LABEL: func.func @product
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ROW:.*]] = memref.alloca() {loomir.tile} : memref<32xf32>
  // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
  // CHECK: scf.for %[[I:[^ ]*]] = {{.*}} {
  // CHECK-NEXT: scf.for %[[J:[^ ]*]] = {{.*}} step %[[C32]] {
  // CHECK-NEXT: scf.for %[[L:[^ ]*]] = %[[C0]] to %[[C32]] step %{{.*}} {
  // CHECK: memref.store %{{.*}}, %[[ROW]][%[[L]]] : memref<32xf32>
  // CHECK-NEXT: } {loomir.tile, loomir.unroll}
  // What the row shares is loaded once.
  // CHECK-NEXT: scf.for %[[K:[^ ]*]] = {{.*}} {
  // CHECK-NEXT: %[[A:.*]] = memref.load %x[%[[I]], %[[K]]]
  // CHECK-NEXT: scf.for %[[L:[^ ]*]] = %[[C0]] to %[[C32]] step %{{.*}} {
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[J]], %[[L]] : index
  // CHECK-NEXT: %[[W:.*]] = memref.load %w[%[[K]], %[[AT]]]
  // CHECK-NEXT: %[[ACC:.*]] = memref.load %[[ROW]][%[[L]]]
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[W]] : f32
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[M]] : f32
  // CHECK-NEXT: memref.store %[[S]], %[[ROW]][%[[L]]]
  // CHECK-NEXT: } {loomir.tile, loomir.unroll}
  // Neighbours are stored as they are.
  // CHECK: scf.for %[[L:[^ ]*]] = %[[C0]] to %[[C32]] step %{{.*}} {
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[J]], %[[L]] : index
  // CHECK-NEXT: %[[R:.*]] = memref.load %[[ROW]][%[[L]]]
  // CHECK-NEXT: memref.store %[[R]], %o[%[[I]], %[[AT]]]
  // CHECK-NEXT: } {loomir.tile, loomir.unroll}
  // CHECK-NEXT: } {loomir.tile}
  func.func @product(%x: memref<3x5xf32>, %w: memref<5x64xf32>, %o: memref<3x64xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<3x64xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<3x5xf32>, memref<5x64xf32>) outs(%o : memref<3x64xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // 10 has no tile of four, eight or more: scalars, by way of a row where they lie apart.
  // CHECK-LABEL: func.func @tail
  // CHECK-NOT: memref.alloca
  // CHECK: iter_args(%{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}})
  func.func @tail(%x: memref<3x5xf32>, %w: memref<5x10xf32>, %o: memref<3x10xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<3x10xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<3x5xf32>, memref<5x10xf32>) outs(%o : memref<3x10xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }
}
