// RUN: loomir-opt -p 'convert-ov-to-openvino{checks=drop}' --split-input-file %s | filecheck %s
// RUN: loomir-opt -p convert-ov-to-openvino --split-input-file %s | filecheck %s --check-prefix=KEEP

// A row more: what is before its place, the row, what is behind. With checks, that the place is inside is asked.
func.func @main(%d: tensor<?x3xf32>, %r: tensor<1x3xf32>, %p: tensor<i64>) -> (tensor<?x3xf32>) {
  %y = ov.row_insert %d, %r, %p : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<i64>) -> tensor<?x3xf32>
  func.return %y : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @main(%d: tensor<?x3xf32>, %r
// CHECK:       %[[AT:.*]] = ov.select
// CHECK:       %[[BEFORE:.*]] = ov.slice %d, %{{.*}}, %[[AT]]
// CHECK:       %[[BEHIND:.*]] = ov.slice %d, %[[AT]]
// CHECK:       ov.concat %[[BEFORE]], %r, %[[BEHIND]] {axis = 0 : i64}
// KEEP:        ov.less_equal
// KEEP:        ov.concat

// -----

func.func @main(%d: tensor<4x3xf32>, %p: tensor<i32>) -> (tensor<3x3xf32>) {
  %y = ov.row_erase %d, %p : (tensor<4x3xf32>, tensor<i32>) -> tensor<3x3xf32>
  func.return %y : tensor<3x3xf32>
}
// CHECK-LABEL: func.func @main(%d: tensor<4x3xf32>, %p
// CHECK-COUNT-2: ov.slice %d
// CHECK:       ov.concat

// -----

// Into a slot, zeros behind, and out of it: an extent that is always the same is none of those that are read.
func.func @main(%x: tensor<?x2xf32>, %s: tensor<2xi64>) -> (tensor<1x6xf32>, tensor<?x2xf32>) {
  %slot = ov.to_slot %x {most = array<i64: 3, 2>} : (tensor<?x2xf32>) -> tensor<1x6xf32>
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %row = ov.squeeze %slot, %axes : (tensor<1x6xf32>, tensor<1xi64>) -> tensor<6xf32>
  %y = ov.from_slot %row, %s {least = array<i64: 0, 2>, most = array<i64: 3, 2>} : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  func.return %slot, %y : tensor<1x6xf32>, tensor<?x2xf32>
}
// CHECK-LABEL: func.func @main(%x: tensor<?x2xf32>, %s
// CHECK:       %[[ZEROS:.*]] = ov.constant dense<0.000000e+00> : tensor<6xf32>
// CHECK:       ov.concat %{{.*}}, %[[ZEROS]]
// CHECK:       ov.slice
// CHECK:       ov.gather %s
// CHECK:       ov.reduce_prod
// CHECK:       ov.slice %row
// CHECK:       ov.reshape
// KEEP:        ov.greater_equal %s
