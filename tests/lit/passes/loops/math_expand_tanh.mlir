// RUN: loomir-opt %s -p math-expand-tanh | filecheck %s

// Limits, two polynomials in x², a quotient, limits again; constants stand once, at the top.
// CHECK-LABEL: func.func @main
// CHECK: arith.constant 9.020000e+00 : f32
// CHECK: [[X:%.*]] = memref.load
// CHECK: [[A:%.*]] = arith.cmpf olt, [[X]], %{{.*}} : f32
// CHECK: [[B:%.*]] = arith.select [[A]]
// CHECK: [[C:%.*]] = arith.cmpf ogt, [[B]]
// CHECK: [[D:%.*]] = arith.select [[C]]
// CHECK: arith.mulf [[D]], [[D]] : f32
// CHECK: arith.divf
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK-NOT: math.tanh %{{.*}} : f32
// CHECK: memref.store
// CHECK: math.tanh %{{.*}} : f64
func.func @main(%x: memref<8xf32>, %y: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<8xf32>
  %b = math.tanh %a : f32
  memref.store %b, %x[%c0] : memref<8xf32>
  %c = memref.load %y[%c0] : memref<8xf64>
  %d = math.tanh %c : f64
  memref.store %d, %y[%c0] : memref<8xf64>
  func.return
}
