// RUN: loomir-opt %s -p convert-onnx-to-ov | filecheck %s

// CHECK-LABEL: @reshape(
func.func @reshape(%x: tensor<2x6xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, -1, 3]> : tensor<3xi64> : tensor<3xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reshape %x, %[[V0]] {special_zero = true} : (tensor<2x6xf32>, tensor<3xi64>) -> tensor<2x2x3xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<2x2x3xf32>
  %s = onnx.constant dense<[0, -1, 3]> : tensor<3xi64> : tensor<3xi64>
  %y = onnx.node "Reshape" 25 (%x, %s) : (tensor<2x6xf32>, tensor<3xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// A dimension of 0 is one of 0 here.
// CHECK-LABEL: @reshape_allowzero(
func.func @reshape_allowzero(%x: tensor<0x6xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reshape %x, %[[V0]] : (tensor<0x6xf32>, tensor<2xi64>) -> tensor<0x3xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<0x3xf32>
  %s = onnx.constant dense<[0, 3]> : tensor<2xi64> : tensor<2xi64>
  %y = onnx.node "Reshape" 25 (%x, %s) {allowzero = 1 : i64} : (tensor<0x6xf32>, tensor<2xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @flatten(
func.func @flatten(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[6, 4]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reshape %x, %[[V0]] : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<6x4xf32>
  %y = onnx.node "Flatten" 25 (%x) {axis = 2 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// The dimensions in reverse where nothing is said.
// CHECK-LABEL: @transpose(
func.func @transpose(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[2, 1, 0]> : tensor<3xi64> : tensor<3xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.transpose %x, %[[V0]] : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<4x3x2xf32>
  %y = onnx.node "Transpose" 25 (%x) : (tensor<2x3x4xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// Before version 13 the axes are an attribute.
// CHECK-LABEL: @squeeze_11(
func.func @squeeze_11(%x: tensor<1x3x1xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.squeeze %x, %[[V0]] {strict = true} : (tensor<1x3x1xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<3x1xf32>
  %y = onnx.node "Squeeze" 11 (%x) {axes = array<i64: 0>} : (tensor<1x3x1xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @unsqueeze(
func.func @unsqueeze(%x: tensor<3xf32>, %axes: tensor<1xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.unsqueeze %x, %axes : (tensor<3xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<?x?xf32>
  %y = onnx.node "Unsqueeze" 25 (%x, %axes) : (tensor<3xf32>, tensor<1xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @expand(
func.func @expand(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.broadcast %x, %s {mode = "bidirectional"} : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<3x?xf32>
  %y = onnx.node "Expand" 13 (%x, %s) : (tensor<3x1xf32>, tensor<2xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @tile(
func.func @tile(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.tile %x, %s : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<?x?xf32>
  %y = onnx.node "Tile" 13 (%x, %s) : (tensor<3x1xf32>, tensor<2xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @shape(
func.func @shape(%x: tensor<3x?x5xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.shape_of %x : (tensor<3x?x5xf32>) -> tensor<3xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<9223372036854775807> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = ov.slice %[[V0]], %[[V1]], %[[V2]], %[[V3]], %[[V4]] : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // CHECK-NEXT: func.return %[[V5]] : tensor<2xi64>
  %y = onnx.node "Shape" 25 (%x) {start = 1 : i64} : (tensor<3x?x5xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @size(
func.func @size(%x: tensor<3x?xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.shape_of %x : (tensor<3x?xf32>) -> tensor<2xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.reduce_prod %[[V0]], %[[V1]] : (tensor<2xi64>, tensor<1xi64>) -> tensor<i64>
  // CHECK-NEXT: func.return %[[V2]] : tensor<i64>
  %y = onnx.node "Size" 25 (%x) : (tensor<3x?xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @concat(
func.func @concat(%x: tensor<3x2xf32>, %y: tensor<3x1xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.concat %x, %y {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<3x3xf32>
  %z = onnx.node "Concat" 13 (%x, %y) {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x1xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// The last part is smaller.
// CHECK-LABEL: @split(
func.func @split(%x: tensor<7xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[4, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]], %[[V3:[0-9]+]] = ov.variadic_split %x, %[[V0]], %[[V1]] : (tensor<7xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<4xf32>, tensor<3xf32>)
  // CHECK-NEXT: func.return %[[V2]], %[[V3]] : tensor<4xf32>, tensor<3xf32>
  %a, %b = onnx.node "Split" 18 (%x) {num_outputs = 2 : i64} : (tensor<7xf32>) -> (!onnx.unknown, !onnx.unknown)
  func.return %a, %b : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @slice(
func.func @slice(%x: tensor<7x8xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.slice %x, %b, %e, %[[V3]], %[[V0]] : (tensor<7x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<7x?xf32>
  // CHECK-NEXT: func.return %[[V4]] : tensor<7x?xf32>
  %axes = onnx.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %y = onnx.node "Slice" 13 (%x, %b, %e, %axes) : (tensor<7x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @pad(
func.func @pad(%x: tensor<7x8xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 1, 0, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V2:[0-9]+]], %[[V3:[0-9]+]] = ov.split %[[V0]], %[[V1]] {num_splits = 2 : i64} : (tensor<4xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<2xi64>)
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V5:[0-9]+]] = ov.pad %x, %[[V2]], %[[V3]], %[[V4]] {pad_mode = "reflect"} : (tensor<7x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK-NEXT: func.return %[[V5]] : tensor<?x?xf32>
  %p = onnx.constant dense<[0, 1, 0, 2]> : tensor<4xi64> : tensor<4xi64>
  %y = onnx.node "Pad" 25 (%x, %p) {mode = "reflect"} : (tensor<7x8xf32>, tensor<4xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @range(
func.func @range(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.range %a, %b, %c {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // CHECK-NEXT: func.return %[[V0]] : tensor<?xi64>
  %y = onnx.node "Range" 11 (%a, %b, %c) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @constant_of_shape(
func.func @constant_of_shape(%s: tensor<2xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<3> : tensor<i32> : tensor<i32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.broadcast %[[V0]], %s : (tensor<i32>, tensor<2xi64>) -> tensor<?x?xi32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<?x?xi32>
  %y = onnx.node "ConstantOfShape" 25 (%s) {value = dense<3> : tensor<1xi32>} : (tensor<2xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @depth_to_space(
func.func @depth_to_space(%x: tensor<1x8x2x2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[1, 8, 2, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V2:[0-9]+]], %[[V3:[0-9]+]], %[[V4:[0-9]+]], %[[V5:[0-9]+]] = ov.split %[[V0]], %[[V1]] {num_splits = 4 : i64} : (tensor<4xi64>, tensor<i64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  // CHECK-NEXT: %[[V6:[0-9]+]] = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V7:[0-9]+]] = ov.divide %[[V3]], %[[V6]] : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  // CHECK-NEXT: %[[V8:[0-9]+]] = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V9:[0-9]+]] = ov.concat %[[V2]], %[[V7]], %[[V8]], %[[V8]], %[[V4]], %[[V5]] {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xi64>
  // CHECK-NEXT: %[[V10:[0-9]+]] = ov.reshape %x, %[[V9]] : (tensor<1x8x2x2xf32>, tensor<6xi64>) -> tensor<?x?x?x?x?x?xf32>
  // CHECK-NEXT: %[[V11:[0-9]+]] = ov.constant dense<[0, 1, 4, 2, 5, 3]> : tensor<6xi64> : tensor<6xi64>
  // CHECK-NEXT: %[[V12:[0-9]+]] = ov.transpose %[[V10]], %[[V11]] : (tensor<?x?x?x?x?x?xf32>, tensor<6xi64>) -> tensor<?x?x?x?x?x?xf32>
  // CHECK-NEXT: %[[V13:[0-9]+]] = ov.multiply %[[V4]], %[[V8]] : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  // CHECK-NEXT: %[[V14:[0-9]+]] = ov.multiply %[[V5]], %[[V8]] : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  // CHECK-NEXT: %[[V15:[0-9]+]] = ov.concat %[[V2]], %[[V7]], %[[V13]], %[[V14]] {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  // CHECK-NEXT: %[[V16:[0-9]+]] = ov.reshape %[[V12]], %[[V15]] : (tensor<?x?x?x?x?x?xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  // CHECK-NEXT: func.return %[[V16]] : tensor<?x?x?x?xf32>
  %y = onnx.node "DepthToSpace" 13 (%x) {blocksize = 2 : i64, mode = "CRD"} : (tensor<1x8x2x2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// Inputs that are left out.
// CHECK-LABEL: @resize(
func.func @resize(%x: tensor<1x1x2x2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]> : tensor<4xf32> : tensor<4xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.interpolate %x, %[[V0]], %[[V1]] {mode = "nearest", shape_calculation_mode = "scales", exact_scale = true} : (tensor<1x1x2x2xf32>, tensor<4xf32>, tensor<4xi64>) -> tensor<1x1x4x4xf32>
  // CHECK-NEXT: func.return %[[V2]] : tensor<1x1x4x4xf32>
  %none = onnx.none : none
  %s = onnx.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> : tensor<4xf32>
  %y = onnx.node "Resize" 19 (%x, %none, %s) {mode = "nearest"} : (tensor<1x1x2x2xf32>, none, tensor<4xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}
