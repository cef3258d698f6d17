// Upstream's tool runs passes, by the name that it has here.
// REQUIRES: mlir-opt
// RUN: loomir-opt %s -p 'mlir-opt{arguments="--canonicalize"}' | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: [[N:%\S+]] = arith.constant 4 : index
// CHECK-NEXT: func.return [[N]] : index
func.func @main() -> index {
  %c2 = arith.constant 2 : index
  %n = arith.addi %c2, %c2 : index
  func.return %n : index
}
