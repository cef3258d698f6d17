// Operations on vectors are values: equal ones are one, unused ones none, and they leave loops; a load stays behind the store before it.
// RUN: loomir-opt %s -p canonicalize,cse,licm,canonicalize | filecheck %s

// CHECK-LABEL: func.func @vectors
// CHECK:       %b = vector.broadcast %s : f32 to vector<4xf32>
// CHECK-NEXT:  scf.for
// CHECK-NEXT:    %x = vector.load
// CHECK-NEXT:    %y = math.fma %x, %b, %b
// CHECK-NEXT:    %l = arith.cmpf olt, %x, %y
// CHECK-NEXT:    %z = arith.select %l, %y, %b
// CHECK-NEXT:    vector.store %z
// CHECK-NEXT:    %again = vector.load
// CHECK-NEXT:    vector.store %again
// CHECK-NEXT:  }
func.func @vectors(%m: memref<16xf32>, %k: memref<16xf32>, %s: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %b = vector.broadcast %s : f32 to vector<4xf32>
    %same = vector.broadcast %s : f32 to vector<4xf32>
    %x = vector.load %m[%i] : memref<16xf32>, vector<4xf32>
    %unused = vector.load %k[%i] : memref<16xf32>, vector<4xf32>
    %y = math.fma %x, %b, %same : vector<4xf32>
    %l = arith.cmpf olt, %x, %y : vector<4xf32>
    %z = arith.select %l, %y, %same : vector<4xi1>, vector<4xf32>
    vector.store %z, %m[%i] : memref<16xf32>, vector<4xf32>
    %again = vector.load %m[%i] : memref<16xf32>, vector<4xf32>
    vector.store %again, %k[%i] : memref<16xf32>, vector<4xf32>
  }
  func.return
}

// Equal integers in lanes: a mask, where xDSL's pattern gives a number.
// CHECK-LABEL: func.func @equal_lanes
// CHECK:       %e = arith.cmpi eq, %x, %x : vector<4xi32>
// CHECK-NEXT:  arith.uitofp %e : vector<4xi1> to vector<4xf32>
func.func @equal_lanes(%m: memref<4xi32>, %k: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %m[%c0] : memref<4xi32>, vector<4xi32>
  %e = arith.cmpi eq, %x, %x : vector<4xi32>
  %f = arith.uitofp %e : vector<4xi1> to vector<4xf32>
  vector.store %f, %k[%c0] : memref<4xf32>, vector<4xf32>
  func.return
}
