// RUN: loomir-opt %s -p ov-bound-shapes,convert-ov-loop-to-scf,convert-ov-to-linalg | mlir-opt-22 | filecheck %s
// REQUIRES: mlir-opt

// Upstream accepts what the lowerings make: maps, padding, dummy windows, captured scalars, dynamic extents.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-6: linalg.generic
func.func @main(
    %x: tensor<1x2x?x6xf32> {loomir.name = "x", loomir.bounds = [1 : i64, 2 : i64, 9 : i64, 6 : i64]},
    %f: tensor<4x2x3x3xf32> {loomir.name = "f"}, %n: tensor<4xui8> {loomir.name = "n"}
) -> (tensor<1x4x?x1xf32> {loomir.name = "a"}, tensor<1x4x?x3xi64> {loomir.name = "b"}, tensor<4xi1> {loomir.name = "c"}) {
  %0 = ov.convolution %x, %f {pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>} : (tensor<1x2x?x6xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x?x6xf32>
  %1 = ov.avg_pool %0 {kernel = array<i64: 2, 2>, auto_pad = "same_upper", exclude_pad = true} : (tensor<1x4x?x6xf32>) -> tensor<1x4x?x6xf32>
  %2, %3 = ov.max_pool %1 {kernel = array<i64: 1, 2>, strides = array<i64: 1, 2>} : (tensor<1x4x?x6xf32>) -> (tensor<1x4x?x3xf32>, tensor<1x4x?x3xi64>)
  %axes = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %4 = ov.reduce_mean %2, %axes {keep_dims = true} : (tensor<1x4x?x3xf32>, tensor<1xi64>) -> tensor<1x4x?x1xf32>
  %k = ov.constant dense<3> : tensor<ui8> : tensor<ui8>
  %5 = ov.floor_mod %n, %k : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  %6 = ov.convert %5 {destination_type = i1} : (tensor<4xui8>) -> tensor<4xi1>
  func.return %4, %3, %6 : tensor<1x4x?x1xf32>, tensor<1x4x?x3xi64>, tensor<4xi1>
}
