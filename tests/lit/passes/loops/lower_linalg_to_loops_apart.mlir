// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s

// Results and operands of epilogues that lie apart in memory, and long epilogues: by way of a tile of memory.
builtin.module {
  // Results of which neighbours lie apart: the vectors of a tile of 4 × 16 are put into a tile of memory, and taken from it one by one,
  // rows innermost, where they are neighbours.
  // CHECK-LABEL: func.func @turned
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[T:.*]] = memref.alloc() : memref<4x16xf32>
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: scf.for %[[P:[^ ]*]] = %[[C0]] to %{{.*}} step %[[C4]] {
  // CHECK: %[[V:[^ ,]*]], %{{.*}} = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  // CHECK: vector.store %[[V]], %[[T]][%[[C0]], %[[C0]]] : memref<4x16xf32>, vector<8xf32>
  // CHECK-COUNT-7: vector.store %{{.*}}, %[[T]][
  // CHECK-NEXT: scf.for %[[LANE:.*]] = %[[C0]] to %[[C16]] step
  // CHECK-NEXT: scf.for %[[ROW:.*]] = %[[C0]] to %[[C4]] step
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[P]], %[[ROW]] : index
  // CHECK-NEXT: %[[R:.*]] = memref.load %[[T]][%[[ROW]], %[[LANE]]] : memref<4x16xf32>
  // CHECK-NEXT: memref.store %[[R]], %o[%[[LANE]], %[[AT]]] : memref<16x8xf32>
  func.func @turned(%x: memref<8x4xf32>, %w: memref<4x16xf32>, %o: memref<16x8xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<16x8xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (k, n)>, affine_map<(p, n, k) -> (n, p)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<8x4xf32>, memref<4x16xf32>) outs(%o : memref<16x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // What is made of a product is short: there is a copy for each of its vectors, and no memory in between.
  // CHECK-LABEL: func.func @copies
  // CHECK-NOT: memref.alloc
  // CHECK-COUNT-8: arith.negf %{{.*}} : vector<8xf32>
  // CHECK-NOT: arith.negf
  func.func @copies(%x: memref<8x4xf32>, %w: memref<4x16xf32>, %o: memref<8x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %t = memref.alloc() : memref<8x16xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<8x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (k, n)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<8x4xf32>, memref<4x16xf32>) outs(%t : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(p, n) -> (p, n)>, affine_map<(p, n) -> (p, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%t : memref<8x16xf32>) outs(%o : memref<8x16xf32>) {
    ^bb0(%a: f32, %c: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // A function of the C library is long: it is there once, for one vector at a time, which come from a tile of memory.
  // CHECK-LABEL: func.func @loop
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[T:.*]] = memref.alloc() : memref<4x16xf32>
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: scf.for %[[P:[^ ]*]] = %[[C0]] to %[[C8]] step %[[C4]] {
  // CHECK-COUNT-8: vector.store %{{.*}}, %[[T]][
  // CHECK-NEXT: scf.for %[[ROW:.*]] = %[[C0]] to %[[C4]] step %[[C1]] {
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[P]], %[[ROW]] : index
  // CHECK-NEXT: scf.for %[[N:.*]] = %[[C0]] to %[[C16]] step %[[C8]] {
  // CHECK-NEXT: %[[V:.*]] = vector.load %[[T]][%[[ROW]], %[[N]]] : memref<4x16xf32>, vector<8xf32>
  // CHECK-NEXT: %[[R:.*]] = math.tanh %[[V]] : vector<8xf32>
  // CHECK-NEXT: vector.store %[[R]], %o[%[[AT]], %[[N]]] : memref<8x16xf32>, vector<8xf32>
  // CHECK-NOT: math.tanh
  func.func @loop(%x: memref<8x4xf32>, %w: memref<4x16xf32>, %o: memref<8x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %t = memref.alloc() : memref<8x16xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<8x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (k, n)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<8x4xf32>, memref<4x16xf32>) outs(%t : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(p, n) -> (p, n)>, affine_map<(p, n) -> (p, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%t : memref<8x16xf32>) outs(%o : memref<8x16xf32>) {
    ^bb0(%a: f32, %c: f32):
      %r = math.tanh %a : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // What is added lies the other way round: eight elements come into a row, and from there as a vector.
  // CHECK-LABEL: func.func @other_apart
  // CHECK: %[[ROW:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: scf.yield %{{.*}} : vector<8xf32>
  // CHECK: scf.for %[[LANE:[^ ]*]] = %{{.*}} to %{{.*}} step %{{[^ ]*}} {
  // CHECK-NEXT: %[[E:.*]] = memref.load %f[%[[LANE]], %{{.*}}] : memref<16x8xf32>
  // CHECK-NEXT: memref.store %[[E]], %[[ROW]][%[[LANE]]] : memref<8xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[F:.*]] = vector.load %[[ROW]][%{{.*}}] : memref<8xf32>, vector<8xf32>
  // CHECK-NEXT: arith.addf %{{.*}}, %[[F]] : vector<8xf32>
  func.func @other_apart(%x: memref<8x4xf32>, %w: memref<4x16xf32>, %f: memref<16x8xf32>, %o: memref<8x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %t = memref.alloc() : memref<8x16xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<8x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (k, n)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<8x4xf32>, memref<4x16xf32>) outs(%t : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(p, n) -> (p, n)>, affine_map<(p, n) -> (n, p)>, affine_map<(p, n) -> (p, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%t, %f : memref<8x16xf32>, memref<16x8xf32>) outs(%o : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // Nothing of the kind for what reduces nothing: there is too little to compute.
  // CHECK-LABEL: func.func @copy
  // CHECK-NOT: vector
  // CHECK-NOT: memref.alloc
  // CHECK: arith.negf %{{.*}} : f32
  func.func @copy(%x: memref<16x8xf32>, %o: memref<8x16xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<16x8xf32>) outs(%o : memref<8x16xf32>) {
    ^bb0(%a: f32, %c: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    }
    func.return
  }
}
