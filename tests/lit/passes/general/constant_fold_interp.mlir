// Operations on constants become constants; those that fail stay, and fail when they run.
// RUN: loomir-opt %s -p constant-fold-interp | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK: arith.constant 9 : i32
// CHECK-NEXT: arith.floordivsi
// CHECK-NEXT: arith.remsi
func.func @main() -> (i32, i32, i32) {
  %seven = arith.constant 7 : i32
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %sum = arith.addi %seven, %two : i32
  %d = arith.floordivsi %seven, %zero : i32
  %r = arith.remsi %seven, %zero : i32
  func.return %sum, %d, %r : i32, i32, i32
}
