// RUN: loomir-opt %s -p lower-linalg-to-loops | filecheck %s
// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=x86-64-v4}' | filecheck %s
// RUN: loomir-opt %s -p 'lower-linalg-to-loops{tile=false}' | filecheck %s --check-prefix=PLAIN

builtin.module {
  // A transposition goes through blocks of 16 × 15, which divide 128 × 300.
  // CHECK-LABEL: func.func @transposed
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK-DAG: %[[C20:.*]] = arith.constant 20 : index
  // CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[C20]] step %[[C1]] {
  // CHECK: scf.for %[[J:.*]] = %[[C0]] to %[[C8]] step %[[C1]] {
  // CHECK: scf.for %[[II:.*]] = %[[C0]] to %[[C15]] step %[[C1]] {
  // CHECK: scf.for %[[JJ:.*]] = %[[C0]] to %[[C16]] step %[[C1]] {
  // CHECK: memref.load %x[
  // CHECK: memref.store
  // PLAIN-LABEL: func.func @transposed
  // PLAIN-COUNT-2: scf.for
  // PLAIN-NOT: scf.for
  func.func @transposed(%x: memref<128x300xf32>, %y: memref<300x128xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<128x300xf32>) outs(%y : memref<300x128xf32>) {
    ^bb0(%a: f32, %old: f32):
      linalg.yield %a : f32
    }
    func.return
  }
  // What fits in the first cache, and what has no rows in common, is left as it was.
  // CHECK-LABEL: func.func @small
  // CHECK-COUNT-2: scf.for
  // CHECK-NOT: scf.for
  // CHECK: func.return
  // PLAIN-LABEL: func.func @small
  func.func @small(%x: memref<64x100xf32>, %y: memref<100x64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<64x100xf32>) outs(%y : memref<100x64xf32>) {
    ^bb0(%a: f32, %old: f32):
      linalg.yield %a : f32
    }
    func.return
  }
}
