// Quads of bytes, read and printed; in LOOPS alone.
// RUN: loomir-opt %s | loomir-opt | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

// CHECK-LABEL: func.func @quads
func.func @quads(%x: memref<?x64xi8>, %acc: i32, %v: vector<8xi32>, %i: index) {
  // CHECK: %q = quads.view %x : memref<?x64xi8> to memref<?x16xi32>
  %q = quads.view %x : memref<?x64xi8> to memref<?x16xi32>
  %a = memref.load %q[%i, %i] : memref<?x16xi32>
  // CHECK: %s = quads.dot %acc, %a, %a {zero = 83 : i32} : i32
  %s = quads.dot %acc, %a, %a {zero = 83 : i32} : i32
  // CHECK: %w = quads.dot %v, %v, %v {zero = 0 : i32, unsigned} : vector<8xi32>
  %w = quads.dot %v, %v, %v {zero = 0 : i32, unsigned} : vector<8xi32>
  func.return
}
