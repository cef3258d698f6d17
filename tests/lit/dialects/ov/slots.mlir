// RUN: loomir-opt %s | loomir-opt | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s
// RUN: loomir-opt %s -p ov-infer | filecheck %s --check-prefix=INFER

// CHECK-LABEL: func.func @rows
// CHECK: ov.row_insert %d, %r, %p : (tensor<?x2xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<?x2xf32>
// CHECK: ov.row_erase %s, %p : (tensor<3x2xf32>, tensor<i64>) -> tensor<?x2xf32>
// INFER: ov.row_erase %s, %p : (tensor<3x2xf32>, tensor<i64>) -> tensor<2x2xf32>
func.func @rows(%d: tensor<?x2xf32>, %s: tensor<3x2xf32>, %r: tensor<1x2xf32>, %p: tensor<i64>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %a = ov.row_insert %d, %r, %p : (tensor<?x2xf32>, tensor<1x2xf32>, tensor<i64>) -> tensor<?x2xf32>
  %b = ov.row_erase %s, %p : (tensor<3x2xf32>, tensor<i64>) -> tensor<?x2xf32>
  func.return %a, %b : tensor<?x2xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @slots
// CHECK: ov.to_slot %x {most = array<i64: 2, 4>} : (tensor<2x?xf32>) -> tensor<1x8xf32>
// CHECK: ov.from_slot %s, %e {least = array<i64: 2, 0>, most = array<i64: 2, 4>} : (tensor<8xf32>, tensor<2xi64>) -> tensor<2x?xf32>
func.func @slots(%x: tensor<2x?xf32>, %s: tensor<8xf32>, %e: tensor<2xi64>) -> (tensor<1x8xf32>, tensor<2x?xf32>) {
  %a = ov.to_slot %x {most = array<i64: 2, 4>} : (tensor<2x?xf32>) -> tensor<1x8xf32>
  %b = ov.from_slot %s, %e {least = array<i64: 2, 0>, most = array<i64: 2, 4>} : (tensor<8xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  func.return %a, %b : tensor<1x8xf32>, tensor<2x?xf32>
}

// CHECK-LABEL: func.func @require
// CHECK: ov.require %x, %c {kind = "index", reason = "none"} : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
func.func @require(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %a = ov.require %x, %c {kind = "index", reason = "none"} : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  func.return %a : tensor<2xf32>
}
