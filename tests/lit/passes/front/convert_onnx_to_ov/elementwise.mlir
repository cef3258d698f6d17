// RUN: loomir-opt %s -p convert-onnx-to-ov | filecheck %s

// The version says the meaning: a Relu is the operation as it stands.
// CHECK-LABEL: @relu(
func.func @relu(%x: tensor<2x?xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.relu %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2x?xf32>
  %y = onnx.node "Relu" 14 (%x) : (tensor<2x?xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @add(
func.func @add(%x: tensor<2x?xf32>, %y: tensor<1xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.add %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2x?xf32>
  %z = onnx.node "Add" 14 (%x, %y) : (tensor<2x?xf32>, tensor<1xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// Before version 7 the second one's dimensions are those of the first from `axis` on.
// CHECK-LABEL: @add_6(
func.func @add_6(%x: tensor<2x3x4xf32>, %y: tensor<3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.unsqueeze %y, %[[V0]] : (tensor<3xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.add %x, %[[V1]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: func.return %[[V2]] : tensor<2x3x4xf32>
  %z = onnx.node "Add" 6 (%x, %y) {broadcast = 1 : i64, axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @sub(
func.func @sub(%x: tensor<2xi64>, %y: tensor<2xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.subtract %x, %y : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi64>
  %z = onnx.node "Sub" 14 (%x, %y) : (tensor<2xi64>, tensor<2xi64>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// Integers are divided towards zero.
// CHECK-LABEL: @div(
func.func @div(%x: tensor<2xi32>, %y: tensor<2xi32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.divide %x, %y {m_pythondiv = false} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi32>
  %z = onnx.node "Div" 14 (%x, %y) : (tensor<2xi32>, tensor<2xi32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @mod(
func.func @mod(%x: tensor<2xi32>, %y: tensor<2xi32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.floor_mod %x, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi32>
  %z = onnx.node "Mod" 13 (%x, %y) : (tensor<2xi32>, tensor<2xi32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @fmod(
func.func @fmod(%x: tensor<2xf32>, %y: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.mod %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %z = onnx.node "Mod" 13 (%x, %y) {fmod = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// The base's type is the result's.
// CHECK-LABEL: @pow(
func.func @pow(%x: tensor<2xf32>, %y: tensor<2xi64>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.convert %y {destination_type = f32} : (tensor<2xi64>) -> tensor<2xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.power %x, %[[V0]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<2xf32>
  %z = onnx.node "Pow" 15 (%x, %y) : (tensor<2xf32>, tensor<2xi64>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @where(
func.func @where(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<f32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.select %c, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %z = onnx.node "Where" 16 (%c, %x, %y) : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// One input is the value itself, three are two operations.
// CHECK-LABEL: @max(
func.func @max(%x: tensor<2xf32>, %y: tensor<2xf32>, %w: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.maximum %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.maximum %[[V0]], %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<2xf32>
  %z = onnx.node "Max" 13 (%x, %y, %w) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  %a = onnx.node "Max" 13 (%z) : (!onnx.unknown) -> !onnx.unknown
  func.return %a : !onnx.unknown
}

// CHECK-LABEL: @not(
func.func @not(%x: tensor<2xi1>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.logical_not %x : (tensor<2xi1>) -> tensor<2xi1>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi1>
  %z = onnx.node "Not" 1 (%x) : (tensor<2xi1>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @less_or_equal(
func.func @less_or_equal(%x: tensor<2xf32>, %y: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.less_equal %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi1>
  %z = onnx.node "LessOrEqual" 16 (%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @bit_shift(
func.func @bit_shift(%x: tensor<2xui8>, %y: tensor<2xui8>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.bitwise_right_shift %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xui8>
  %z = onnx.node "BitShift" 11 (%x, %y) {direction = "RIGHT"} : (tensor<2xui8>, tensor<2xui8>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @is_inf(
func.func @is_inf(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.is_inf %x {detect_negative = false} : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi1>
  %z = onnx.node "IsInf" 20 (%x) {detect_negative = 0 : i64} : (tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// Its number is the default of this version.
// CHECK-LABEL: @leaky_relu(
func.func @leaky_relu(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<1.000000e-02> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.multiply %x, %[[V0]] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.less %x, %[[V2]] : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.select %[[V3]], %[[V1]], %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V4]] : tensor<2xf32>
  %z = onnx.node "LeakyRelu" 16 (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @elu(
func.func @elu(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.elu %x {alpha = 2.000000e+00 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %z = onnx.node "Elu" 6 (%x) {alpha = 2.0 : f32} : (tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @gelu(
func.func @gelu(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.gelu %x {approximation_mode = "tanh"} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %z = onnx.node "Gelu" 20 (%x) {approximate = "tanh"} : (tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// A bound that is left out.
// CHECK-LABEL: @clip(
func.func @clip(%x: tensor<2xf32>, %most: tensor<f32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.minimum %x, %most : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %none = onnx.none : none
  %z = onnx.node "Clip" 13 (%x, %none, %most) : (tensor<2xf32>, none, tensor<f32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @prelu(
func.func @prelu(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.prelu %x, %s : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2x3xf32>
  %z = onnx.node "PRelu" 16 (%x, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// Before version 13 what is behind the axis is one dimension.
// CHECK-LABEL: @softmax_11(
func.func @softmax_11(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[2, 12]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.reshape %x, %[[V0]] : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x12xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.softmax %[[V1]] : (tensor<2x12xf32>) -> tensor<2x12xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<[2, 3, 4]> : tensor<3xi64> : tensor<3xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.reshape %[[V2]], %[[V3]] : (tensor<2x12xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: func.return %[[V4]] : tensor<2x3x4xf32>
  %z = onnx.node "Softmax" 11 (%x) {axis = 1 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// CHECK-LABEL: @cast(
func.func @cast(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.convert %x {destination_type = i64} : (tensor<2xf32>) -> tensor<2xi64>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xi64>
  %z = onnx.node "Cast" 25 (%x) {to = 7 : i64} : (tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}

// ONNX itself says what it is, in simpler operators.
// CHECK-LABEL: @hard_swish(
func.func @hard_swish(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.h_swish %x : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %z = onnx.node "HardSwish" 22 named "swish" (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %z : !onnx.unknown
}
