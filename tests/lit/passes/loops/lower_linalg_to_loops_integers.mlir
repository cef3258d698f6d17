// RUN: loomir-opt %s -p 'lower-linalg-to-loops' | filecheck %s

builtin.module {
  // Sums of integers have tiles of scalars: two rows and four columns, each element loaded once for all that it is multiplied with, four
  // iterations of the reduction in a row. What the epilogue adds to the sum is what that begins with.
  // CHECK-LABEL: func.func @product
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[TILE:.*]] = memref.alloca() : memref<2x4xi32>
  // CHECK: scf.for %[[I:[^ ]*]] = %{{.*}} to %{{.*}} step %[[C2]] {
  // CHECK: scf.for %[[J:[^ ]*]] = %{{.*}} to %{{.*}} step %[[C4]] {
  // CHECK: %[[B0:.*]] = memref.load %b[%[[J]]] : memref<8xi32>
  // CHECK-COUNT-3: memref.load %b
  // CHECK-NOT: memref.load %b
  // CHECK: scf.for %{{[^ ]*}} = %{{.*}} to %{{.*}} step %[[C4]] iter_args(%{{[^ ]*}} = %[[B0]],
  // CHECK-COUNT-24: memref.load %{{[xw]}}
  // CHECK-NOT: memref.load %{{[xw]}}
  // CHECK: scf.yield
  // CHECK: memref.store %{{.*}}, %[[TILE]]
  // The rows are a loop, the columns of one are not.
  // CHECK: scf.for %[[R:[^ ]*]] = {{.*}} {
  // CHECK: memref.load %[[TILE]][%[[R]], %[[C0]]]
  // CHECK-NOT: %b
  // CHECK: arith.maxsi
  // CHECK: memref.store %{{.*}}, %o
  // CHECK: memref.load %[[TILE]][%[[R]], %[[C1]]]
  // CHECK: memref.store %{{.*}}, %o
  // CHECK: memref.store %{{.*}}, %o
  // CHECK: memref.store %{{.*}}, %o
  func.func @product(%x: memref<4x16xi8>, %w: memref<16x8xi8>, %b: memref<8xi32>, %o: memref<4x8xi32>) {
    %zero = arith.constant 0 : i32
    %t = memref.alloc() : memref<4x8xi32>
    linalg.fill ins(%zero : i32) outs(%t : memref<4x8xi32>)
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<4x16xi8>, memref<16x8xi8>) outs(%t : memref<4x8xi32>) {
    ^bb0(%p: i8, %q: i8, %acc: i32):
      %p32 = arith.extsi %p : i8 to i32
      %q32 = arith.extsi %q : i8 to i32
      %m = arith.muli %p32, %q32 : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%t, %b : memref<4x8xi32>, memref<8xi32>) outs(%o : memref<4x8xi32>) {
    ^bb0(%sum: i32, %bias: i32, %out: i32):
      %s = arith.addi %sum, %bias : i32
      %r = arith.maxsi %s, %zero : i32
      linalg.yield %r : i32
    }
    func.return
  }

  // A sum that begins with something else, and one that is read twice, have the bias behind.
  // CHECK-LABEL: func.func @begun
  // CHECK: scf.for %{{[^ ]*}} = %{{.*}} iter_args(%{{[^ ]*}} = %seven
  // CHECK: memref.load %b
  func.func @begun(%x: memref<4x16xi8>, %b: memref<4xi32>, %o: memref<4xi32>) {
    %seven = arith.constant 7 : i32
    %zero = arith.constant 0 : i32
    %t = memref.alloc() : memref<4xi32>
    linalg.fill ins(%seven : i32) outs(%t : memref<4xi32>)
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x16xi8>) outs(%t : memref<4xi32>) {
    ^bb0(%p: i8, %acc: i32):
      %p32 = arith.extsi %p : i8 to i32
      %s = arith.addi %acc, %p32 : i32
      linalg.yield %s : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%t, %b : memref<4xi32>, memref<4xi32>) outs(%o : memref<4xi32>) {
    ^bb0(%sum: i32, %bias: i32, %out: i32):
      %s = arith.addi %sum, %bias : i32
      linalg.yield %s : i32
    }
    func.return
  }

  // CHECK-LABEL: func.func @twice
  // CHECK: scf.for %{{[^ ]*}} = %{{.*}} iter_args(%{{[^ ]*}} = %zero
  // CHECK: memref.load %b
  func.func @twice(%x: memref<4x16xi8>, %b: memref<4xi32>, %o: memref<4xi32>) {
    %zero = arith.constant 0 : i32
    %t = memref.alloc() : memref<4xi32>
    linalg.fill ins(%zero : i32) outs(%t : memref<4xi32>)
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x16xi8>) outs(%t : memref<4xi32>) {
    ^bb0(%p: i8, %acc: i32):
      %p32 = arith.extsi %p : i8 to i32
      %s = arith.addi %acc, %p32 : i32
      linalg.yield %s : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%t, %b : memref<4xi32>, memref<4xi32>) outs(%o : memref<4xi32>) {
    ^bb0(%sum: i32, %bias: i32, %out: i32):
      %s = arith.addi %sum, %bias : i32
      %r = arith.muli %s, %sum : i32
      linalg.yield %r : i32
    }
    func.return
  }
}
