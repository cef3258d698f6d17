// REQUIRES: mlir-opt
// RUN: loomir-opt %S/operations.mlir | mlir-opt-22 | filecheck %S/operations_upstream.mlir

// CHECK: arith.cmpf olt, {{.*}} : vector<8xf32>
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: arith.fptosi {{.*}} : vector<8xf32> to vector<8xi64>
