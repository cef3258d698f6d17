// RUN: loomir-opt %s -p math-expand | filecheck %s
// RUN: loomir-opt %s -p 'math-expand{machine=x86-64}' | filecheck %s --check-prefix=VECTORS
// RUN: loomir-opt %s -p 'math-expand{machine=x86-64-v3},math-form-fma{machine=x86-64-v3}' | filecheck %s --check-prefix=FMA

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
// VECTORS: math.tanh %{{.*}} : f64
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

// Without vectors the library is as good; with them a scalar, which may be what is left of a row, is computed as vectors are.
// CHECK-LABEL: func.func @exponentials
// CHECK: math.exp %{{.*}} : vector<4xf32>
// CHECK: math.exp %{{.*}} : f32
// VECTORS-LABEL: func.func @exponentials
// VECTORS: [[N:%.*]] = arith.constant 0x4B4000FE : f32
// VECTORS-NEXT: [[NS:%.*]] = vector.broadcast [[N]] : f32 to vector<4xf32>
// VECTORS: vector.load
// VECTORS: arith.select %{{.*}} : vector<4xi1>, vector<4xf32>
// VECTORS: arith.addf %{{.*}}, [[NS]] : vector<4xf32>
// VECTORS: [[BITS:%.*]] = arith.bitcast %{{.*}} : vector<4xf32> to vector<4xi32>
// VECTORS: [[HALF:%.*]] = arith.shrsi [[BITS]], %{{.*}} : vector<4xi32>
// VECTORS: [[REST:%.*]] = arith.subi [[BITS]], [[HALF]] : vector<4xi32>
// VECTORS: [[FIRST:%.*]] = arith.shli [[HALF]], %{{.*}} : vector<4xi32>
// VECTORS-NEXT: arith.bitcast [[FIRST]] : vector<4xi32> to vector<4xf32>
// VECTORS: [[SECOND:%.*]] = arith.shli [[REST]], %{{.*}} : vector<4xi32>
// VECTORS: vector.store
// VECTORS: memref.load
// VECTORS: arith.addf %{{.*}}, [[N]] : f32
// VECTORS-NOT: math.exp
// VECTORS: memref.store
// FMA-LABEL: func.func @exponentials
// FMA: math.fma %{{.*}} : vector<4xf32>
// FMA: math.fma %{{.*}} : f32
func.func @exponentials(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %v = vector.load %x[%c0] : memref<8xf32>, vector<4xf32>
  %e = math.exp %v : vector<4xf32>
  vector.store %e, %x[%c0] : memref<8xf32>, vector<4xf32>
  %s = memref.load %x[%c4] : memref<8xf32>
  %f = math.exp %s : f32
  memref.store %f, %x[%c4] : memref<8xf32>
  func.return
}

// An exponent from the bits less those of √½; what is not in the domain is chosen at the end.
// VECTORS-LABEL: func.func @logarithm
// VECTORS: [[ROOT:%.*]] = arith.constant 1060439283 : i32
// VECTORS: arith.bitcast
// VECTORS: arith.subi %{{.*}}, [[ROOT]] : i32
// VECTORS: arith.sitofp
// VECTORS: arith.cmpf olt
// VECTORS: arith.cmpf oge
// VECTORS: arith.cmpf oeq
// VECTORS-NOT: math.log
// VECTORS: memref.store
func.func @logarithm(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<8xf32>
  %b = math.log %a : f32
  memref.store %b, %x[%c0] : memref<8xf32>
  func.return
}

// A polynomial up to 1, one less an eighth power from there on; neither exponential nor division.
// VECTORS-LABEL: func.func @error_function
// VECTORS: [[X:%.*]] = memref.load
// VECTORS-NOT: arith.divf
// VECTORS: [[M:%.*]] = math.absf [[X]]
// VECTORS: [[P2:%.*]] = arith.mulf [[P:%.*]], [[P]] : f32
// VECTORS-NEXT: [[P4:%.*]] = arith.mulf [[P2]], [[P2]] : f32
// VECTORS-NEXT: [[P8:%.*]] = arith.mulf [[P4]], [[P4]] : f32
// VECTORS: math.copysign %{{.*}}, [[X]] : f32
// VECTORS: arith.cmpf olt, [[M]]
// VECTORS: arith.select
// VECTORS-NOT: math.erf
// VECTORS: memref.store
func.func @error_function(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<8xf32>
  %b = math.erf %a : f32
  memref.store %b, %x[%c0] : memref<8xf32>
  func.return
}
