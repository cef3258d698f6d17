// RUN: loomir-opt %s -p 'arith-form-high-products{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p arith-form-high-products | filecheck %s --check-prefix=GENERIC
// GENERIC-NOT: mulsi_extended

// CHECK-LABEL: func.func @requantised
// CHECK: %[[low:.*]], %[[high:.*]] = arith.mulsi_extended %sum, %multiplier : i32
// CHECK: %[[half:.*]] = arith.constant 16 : i32
// CHECK: %[[moved:.*]] = arith.addi %[[high]], %[[half]] : i32
// CHECK: %[[by:.*]] = arith.constant 5 : i32
// CHECK: %[[r:.*]] = arith.shrsi %[[moved]], %[[by]] : i32
// CHECK-NOT: i64
// CHECK: func.return %[[r]] : i32
func.func @requantised(%sum: i32, %multiplier: i32) -> i32 {
  %half = arith.constant 68719476736 : i64
  %shift = arith.constant 37 : i64
  %a = arith.extsi %sum : i32 to i64
  %m = arith.extsi %multiplier : i32 to i64
  %product = arith.muli %a, %m : i64
  %moved = arith.addi %product, %half : i64
  %wide = arith.shrsi %moved, %shift : i64
  %r = arith.trunci %wide : i64 to i32
  func.return %r : i32
}

// A multiplier that is a number, and the upper half itself.
// CHECK-LABEL: func.func @number
// CHECK: %[[m:.*]] = arith.constant 1717986919 : i32
// CHECK: %[[low:.*]], %[[high:.*]] = arith.mulsi_extended %sum, %[[m]] : i32
// CHECK: func.return %[[high]] : i32
func.func @number(%sum: i32) -> i32 {
  %m = arith.constant 1717986919 : i64
  %shift = arith.constant 32 : i64
  %a = arith.extsi %sum : i32 to i64
  %product = arith.muli %a, %m : i64
  %wide = arith.shrsi %product, %shift : i64
  %r = arith.trunci %wide : i64 to i32
  func.return %r : i32
}

// The lower half carries, a part of it is wanted, or the product is wanted, too.
// CHECK-LABEL: func.func @carries
// CHECK-NOT: mulsi_extended
func.func @carries(%sum: i32, %multiplier: i32) -> (i32, i32, i32, i64) {
  %half = arith.constant 68719476737 : i64
  %even = arith.constant 68719476736 : i64
  %shift = arith.constant 37 : i64
  %few = arith.constant 31 : i64
  %a = arith.extsi %sum : i32 to i64
  %m = arith.extsi %multiplier : i32 to i64
  %product = arith.muli %a, %m : i64
  %moved = arith.addi %product, %half : i64
  %wide = arith.shrsi %moved, %shift : i64
  %r = arith.trunci %wide : i64 to i32
  %other = arith.muli %m, %a : i64
  %low = arith.shrsi %other, %few : i64
  %s = arith.trunci %low : i64 to i32
  %kept = arith.muli %a, %a : i64
  %above = arith.shrsi %kept, %shift : i64
  %t = arith.trunci %above : i64 to i32
  func.return %r, %s, %t, %kept : i32, i32, i32, i64
}
