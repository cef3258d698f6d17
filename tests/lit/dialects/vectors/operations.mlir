// Comparisons, choices and casts of vectors, which xDSL's own classes refuse, read and printed as MLIR writes them.
// RUN: loomir-opt %s | loomir-opt | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

// CHECK-LABEL: func.func @vectors
func.func @vectors(%m: memref<4x16xf32>, %k: memref<16xi64>, %i: index, %s: f32, %c: i1) {
  // CHECK: %x = vector.load %m[%i, %i] : memref<4x16xf32>, vector<8xf32>
  %x = vector.load %m[%i, %i] : memref<4x16xf32>, vector<8xf32>
  // CHECK: %y = vector.broadcast %s : f32 to vector<8xf32>
  %y = vector.broadcast %s : f32 to vector<8xf32>
  // CHECK: %l = arith.cmpf olt, %x, %y : vector<8xf32>
  %l = arith.cmpf olt, %x, %y : vector<8xf32>
  // CHECK: %z = arith.select %l, %x, %y : vector<8xi1>, vector<8xf32>
  %z = arith.select %l, %x, %y : vector<8xi1>, vector<8xf32>
  // CHECK: %w = arith.select %c, %x, %z : vector<8xf32>
  %w = arith.select %c, %x, %z : vector<8xf32>
  // CHECK: %n = arith.fptosi %w : vector<8xf32> to vector<8xi64>
  %n = arith.fptosi %w : vector<8xf32> to vector<8xi64>
  // CHECK: %e = arith.cmpi ule, %n, %n : vector<8xi64>
  %e = arith.cmpi ule, %n, %n : vector<8xi64>
  // CHECK: %u = arith.extui %e : vector<8xi1> to vector<8xi64>
  %u = arith.extui %e : vector<8xi1> to vector<8xi64>
  // CHECK: vector.store %u, %k[%i] : memref<16xi64>, vector<8xi64>
  vector.store %u, %k[%i] : memref<16xi64>, vector<8xi64>
  // CHECK: %f = math.fma %x, %y, %w : vector<8xf32>
  %f = math.fma %x, %y, %w : vector<8xf32>
  // CHECK: vector.store %f, %m[%i, %i] : memref<4x16xf32>, vector<8xf32>
  vector.store %f, %m[%i, %i] : memref<4x16xf32>, vector<8xf32>
  func.return
}
