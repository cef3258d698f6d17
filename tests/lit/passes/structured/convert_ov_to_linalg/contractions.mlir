// RUN: loomir-opt %s --split-input-file -p convert-ov-to-linalg | filecheck %s

// CHECK-LABEL: @main
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x1x4xf32> {
  // CHECK:      linalg.fill
  // CHECK:      linalg.generic
  // CHECK-SAME:   affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>
  // CHECK-SAME:   iterator_types = ["parallel", "reduction", "parallel"]
  // CHECK:      arith.addf
  %axes = ov.constant dense<-2> : tensor<i64> : tensor<i64>
  %r = ov.reduce_sum %x, %axes {keep_dims = true} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<2x1x4xf32>
  func.return %r : tensor<2x1x4xf32>
}

// -----

// f16 is summed in f32.
// CHECK-LABEL: @main
func.func @main(%a: tensor<2x3xf16>, %b: tensor<4x3xf16>) -> tensor<2x4xf16> {
  // CHECK:      linalg.generic
  // CHECK-SAME:   affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>
  // CHECK-SAME:   iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK-SAME:   outs(%{{.*}} : tensor<2x4xf32>)
  // CHECK:        arith.extf %{{.*}} : f16 to f32
  // CHECK:      linalg.generic
  // CHECK:        arith.truncf %{{.*}} : f32 to f16
  %r = ov.mat_mul %a, %b {transpose_b = true} : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf16>
  func.return %r : tensor<2x4xf16>
}

// -----

// Windows that don't come out even need less padding behind than the attribute says: 1 + 8 + 0 for four of 3 by 2.
// CHECK-LABEL: @main
func.func @main(%x: tensor<1x2x8xf32>, %f: tensor<4x2x3xf32>) -> tensor<1x4x4xf32> {
  // CHECK:      tensor.pad %{{.*}} low[0, 0, 1] high[0, 0, 0]
  // CHECK:      linalg.generic
  // CHECK-SAME:   affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, ((d2 * 2) + d4))>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
  // CHECK-SAME:   iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
  // CHECK:        arith.mulf
  // CHECK-NEXT:   arith.addf
  %r = ov.convolution %x, %f {strides = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>} : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x4xf32>
  func.return %r : tensor<1x4x4xf32>
}

// -----

// Positions that nobody reads are not computed.
// CHECK-LABEL: @main
// CHECK:       linalg.generic
// CHECK:         arith.maximumf
// CHECK-NOT:   linalg.generic
func.func @main(%x: tensor<1x2x8xf32>) -> tensor<1x2x7xf32> {
  %r, %i = ov.max_pool %x {kernel = array<i64: 2>} : (tensor<1x2x8xf32>) -> (tensor<1x2x7xf32>, tensor<1x2x7xi64>)
  func.return %r : tensor<1x2x7xf32>
}

// -----

// Channels are split into groups, and joined again.
// CHECK-LABEL: @main
// CHECK:       tensor.expand_shape
// CHECK-SAME:    tensor<1x6x8xf32> into tensor<1x3x2x8xf32>
// CHECK:       linalg.generic
// CHECK:       tensor.collapse_shape
// CHECK-SAME:    tensor<1x3x1x6xf32> into tensor<1x3x6xf32>
func.func @main(%x: tensor<1x6x8xf32>, %f: tensor<3x1x2x3xf32>) -> tensor<1x3x6xf32> {
  %r = ov.group_convolution %x, %f : (tensor<1x6x8xf32>, tensor<3x1x2x3xf32>) -> tensor<1x3x6xf32>
  func.return %r : tensor<1x3x6xf32>
}
