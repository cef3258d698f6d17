// RUN: loomir-opt %s -p convert-onnx-to-ov | filecheck %s

// CHECK-LABEL: @mat_mul(
func.func @mat_mul(%x: tensor<?x3xf32>, %y: tensor<3x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.mat_mul %x, %y : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<?x4xf32>
  %z = onnx.node "MatMul" 13 (%x, %y) : (tensor<?x3xf32>, tensor<3x4xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @gemm(
func.func @gemm(%x: tensor<3x2xf32>, %y: tensor<3x4xf32>, %c: tensor<4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.mat_mul %x, %y {transpose_a = true} : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.multiply %[[V0]], %[[V1]] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.add %[[V2]], %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: func.return %[[V3]] : tensor<2x4xf32>
  %z = onnx.node "Gemm" 13 (%x, %y, %c) {transA = 1 : i64, alpha = 0.5 : f32} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<4xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @conv(
func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[2, 3, 2, 3, 3]> : tensor<5xi64> : tensor<5xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reshape %w, %[[V0]] : (tensor<6x2x3x3xf32>, tensor<5xi64>) -> tensor<2x3x2x3x3xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.group_convolution %x, %[[V1]] {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<2x3x2x3x3xf32>) -> tensor<1x6x4x4xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<[1, -1, 1, 1]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.reshape %b, %[[V3]] : (tensor<6xf32>, tensor<4xi64>) -> tensor<1x6x1x1xf32>
  // CHECK-NEXT: %[[V5:[0-9]+]] = ov.add %[[V2]], %[[V4]] : (tensor<1x6x4x4xf32>, tensor<1x6x1x1xf32>) -> tensor<1x6x4x4xf32>
  // CHECK-NEXT: func.return %[[V5]] : tensor<1x6x4x4xf32>
  %z = onnx.node "Conv" 22 (%x, %w, %b) {group = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @conv_transpose(
func.func @conv_transpose(%x: tensor<1x1x4xf32>, %w: tensor<1x2x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.convolution_backprop_data %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, output_padding = array<i64: 0>} : (tensor<1x1x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x9xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<1x2x9xf32>
  %z = onnx.node "ConvTranspose" 22 (%x, %w) {strides = array<i64: 2>} : (tensor<1x1x4xf32>, tensor<1x2x3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @max_pool(
func.func @max_pool(%x: tensor<1x1x4x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]], %[[V1:[0-9]+]] = ov.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, auto_pad = "same_upper"} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xi64>)
  // CHECK-NEXT: func.return %[[V0]] : tensor<1x1x4x4xf32>
  %z = onnx.node "MaxPool" 22 (%x) {kernel_shape = array<i64: 2, 2>, auto_pad = "SAME_UPPER"} : (tensor<1x1x4x4xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @average_pool(
func.func @average_pool(%x: tensor<1x1x4x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.avg_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x3xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<1x1x5x3xf32>
  %z = onnx.node "AveragePool" 22 (%x) {kernel_shape = array<i64: 2, 2>, count_include_pad = 1 : i64, pads = array<i64: 1, 0, 1, 0>} : (tensor<1x1x4x4xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @global_average_pool(
func.func @global_average_pool(%x: tensor<1x3x4x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reduce_mean %x, %[[V0]] {keep_dims = true} : (tensor<1x3x4x4xf32>, tensor<2xi64>) -> tensor<1x3x1x1xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<1x3x1x1xf32>
  %z = onnx.node "GlobalAveragePool" 22 (%x) : (tensor<1x3x4x4xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// The mask is not wanted: its result has no name in the file.
// CHECK-LABEL: @dropout(
func.func @dropout(%x: tensor<4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: func.return %x : tensor<4xf32>
  %z, %mask = onnx.node "Dropout" 22 (%x) : (tensor<4xf32>) -> (!onnx.unknown, none)
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @batch_normalization(
func.func @batch_normalization(%x: tensor<1x3x4xf32>, %s: tensor<3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.batch_norm_inference %x, %s, %s, %s, %s {epsilon = 5.000000e-01 : f64} : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<1x3x4xf32>
  %z = onnx.node "BatchNormalization" 15 (%x, %s, %s, %s, %s) {epsilon = 0.5 : f32} : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// Since version 13 its axes are an input.
// CHECK-LABEL: @reduce_sum(
func.func @reduce_sum(%x: tensor<2x3xf32>, %axes: tensor<1xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.reduce_sum %x, %axes : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<?xf32>
  %z = onnx.node "ReduceSum" 13 (%x, %axes) {keepdims = 0 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// All axes where none are given.
// CHECK-LABEL: @reduce_max_11(
func.func @reduce_max_11(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reduce_max %x, %[[V0]] {keep_dims = true} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<1x1xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<1x1xf32>
  %z = onnx.node "ReduceMax" 11 (%x) : (tensor<2x3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @arg_max(
func.func @arg_max(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.arg_max %x {axis = 1 : i64, keep_dims = false} : (tensor<2x3xf32>) -> tensor<2xi64>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi64>
  %z = onnx.node "ArgMax" 13 (%x) {axis = 1 : i64, keepdims = 0 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @top_k(
func.func @top_k(%x: tensor<2x3xf32>, %k: tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %[[V0:[0-9]+]], %[[V1:[0-9]+]] = ov.top_k %x, %k {axis = -1 : i64, mode = "min", stable = true, index_element_type = i64} : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  // CHECK-NEXT: func.return %[[V0]], %[[V1]] : tensor<2x?xf32>, tensor<2x?xi64>
  %v, %i = onnx.node "TopK" 24 (%x, %k) {largest = 0 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  func.return %v, %i : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @cum_sum(
func.func @cum_sum(%x: tensor<2x3xf32>, %axis: tensor<i64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.cum_sum %x, %axis {reverse = true} : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2x3xf32>
  %z = onnx.node "CumSum" 14 (%x, %axis) {reverse = 1 : i64} : (tensor<2x3xf32>, tensor<i64>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @gather(
func.func @gather(%x: tensor<2x3xf32>, %i: tensor<4xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.gather %x, %i, %[[V0]] {out_of_range = "error"} : (tensor<2x3xf32>, tensor<4xi64>, tensor<i64>) -> tensor<2x4xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<2x4xf32>
  %z = onnx.node "Gather" 13 (%x, %i) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @gather_nd(
func.func @gather_nd(%x: tensor<2x3xf32>, %i: tensor<4x2xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4x2xi64>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<4xf32>
  %z = onnx.node "GatherND" 13 (%x, %i) : (tensor<2x3xf32>, tensor<4x2xi64>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @scatter_elements(
func.func @scatter_elements(%x: tensor<5xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.scatter_elements_update %x, %i, %u, %[[V0]] {reduction = "sum"} : (tensor<5xf32>, tensor<2xi64>, tensor<2xf32>, tensor<i64>) -> tensor<5xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<5xf32>
  %z = onnx.node "ScatterElements" 18 (%x, %i, %u) {reduction = "add"} : (tensor<5xf32>, tensor<2xi64>, tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @einsum(
func.func @einsum(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.einsum %x, %y {equation = "ij,j->i"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %z = onnx.node "Einsum" 12 (%x, %y) {equation = "ij,j->i"} : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @quantize_linear(
func.func @quantize_linear(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.divide %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.round %[[V0]] : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.convert %z {destination_type = f32} : (tensor<ui8>) -> tensor<f32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.add %[[V1]], %[[V2]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.convert %[[V3]] {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  // CHECK-NEXT: func.return %[[V4]] : tensor<4xui8>
  %q = onnx.node "QuantizeLinear" 25 (%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> !onnx.unknown
  func.return %q : !onnx.unknown
}

// CHECK-LABEL: @dequantize_linear(
func.func @dequantize_linear(%x: tensor<4xi8>, %s: tensor<f32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.convert %x {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.multiply %[[V0]], %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<4xf32>
  %q = onnx.node "DequantizeLinear" 25 (%x, %s) : (tensor<4xi8>, tensor<f32>) -> !onnx.unknown
  func.return %q : !onnx.unknown
}

// CHECK-LABEL: @non_zero(
func.func @non_zero(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.non_zero %x : (tensor<2x3xf32>) -> tensor<2x?xi64>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2x?xi64>
  %z = onnx.node "NonZero" 13 (%x) : (tensor<2x3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}
