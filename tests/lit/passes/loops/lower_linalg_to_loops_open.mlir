// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=generic}' | filecheck %s --check-prefix=GENERIC
// RUN: loomir-opt %s -p 'lower-reductions-to-vectors{machine=x86-64-v3},lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s --check-prefix=FOLDED

// An extent that is not known before the program runs: each width does what it can.
// GENERIC-NOT: vector.load
builtin.module {
  // CHECK-LABEL: func.func @elementwise
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[EIGHTS:.*]] = arith.divui %n, %[[C8]] : index
  // CHECK-NEXT: %[[A:.*]] = arith.muli %[[EIGHTS]], %[[C8]] : index
  // CHECK-NEXT: scf.for %[[I:[^ ]*]] = %[[C0]] to %[[A]] step %[[C8]] {
  // CHECK: vector.load %{{.*}}[%[[I]]] : {{.*}}, vector<8xf32>
  // CHECK: }
  // CHECK-NEXT: %[[TWOS:.*]] = arith.divui %n, %[[C2]] : index
  // CHECK-NEXT: %[[B:.*]] = arith.muli %[[TWOS]], %[[C2]] : index
  // CHECK-NEXT: scf.for %[[I:[^ ]*]] = %[[A]] to %[[B]] step %[[C2]] {
  // CHECK: vector.load %{{.*}}[%[[I]]] : {{.*}}, vector<2xf32>
  // CHECK: }
  // CHECK-NEXT: scf.for %[[I:[^ ]*]] = %[[B]] to %n step %[[C1]] {
  // CHECK-NEXT: memref.load
  func.func @elementwise(%n: index, %x: memref<100xf32>, %o: memref<100xf32>) {
    %xv = memref.subview %x[0] [%n] [1] : memref<100xf32> to memref<?xf32, strided<[1]>>
    %ov = memref.subview %o[0] [%n] [1] : memref<100xf32> to memref<?xf32, strided<[1]>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%xv : memref<?xf32, strided<[1]>>) outs(%ov : memref<?xf32, strided<[1]>>) {
    ^bb0(%a: f32, %old: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // A sum of it: four vectors at a time, one, and then one element.
  // FOLDED-LABEL: func.func @sum
  // FOLDED: %[[FOURS:.*]] = arith.divui %n, %[[C32:.*]] : index
  // FOLDED-NEXT: %[[A:.*]] = arith.muli %[[FOURS]], %[[C32]] : index
  // FOLDED: scf.for %{{.*}} = %{{.*}} to %[[A]] step %[[C32]] iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  // FOLDED: scf.for %{{.*}} = %[[A]] to %[[B:.*]] step %{{.*}} iter_args({{.*}}) -> (vector<8xf32>)
  // FOLDED: scf.for %{{.*}} = %[[B]] to %n step %{{.*}} iter_args({{.*}}) -> (f32)
  func.func @sum(%n: index, %x: memref<100xf32>, %o: memref<f32>) {
    %xv = memref.subview %x[0] [%n] [1] : memref<100xf32> to memref<?xf32, strided<[1]>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%xv : memref<?xf32, strided<[1]>>) outs(%o : memref<f32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    }
    func.return
  }
}
