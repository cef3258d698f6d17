// RUN: loomir-opt %s -p "convert-onnx-to-ov{layers=true}" | filecheck %s

// What is one layer of OpenVINO's sets stays one, as in the Model Optimizer.
// CHECK-LABEL: @leaky(
func.func @leaky(%x: tensor<2x?xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.prelu %x, %[[V0]] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  // CHECK-NEXT: func.return %[[V1]] : tensor<2x?xf32>
  %y = onnx.node "LeakyRelu" 16 (%x) {alpha = 0.5 : f32} : (tensor<2x?xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @depth_to_space(
func.func @depth_to_space(%x: tensor<1x8x?x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.depth_to_space %x {block_size = 2 : i64, mode = "depth_first"} : (tensor<1x8x?x3xf32>) -> tensor<1x2x?x6xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<1x2x?x6xf32>
  %y = onnx.node "DepthToSpace" 13 (%x) {blocksize = 2 : i64, mode = "CRD"} : (tensor<1x8x?x3xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @space_to_depth(
func.func @space_to_depth(%x: tensor<1x2x4x6xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.space_to_depth %x {block_size = 2 : i64, mode = "blocks_first"} : (tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32>
  // CHECK-NEXT: func.return %[[V0]] : tensor<1x8x2x3xf32>
  %y = onnx.node "SpaceToDepth" 13 (%x) {blocksize = 2 : i64} : (tensor<1x2x4x6xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// The layer takes any number of spatial dimensions, the operator two: where the rank is not known it is what it computes.
// CHECK-LABEL: @any_rank(
func.func @any_rank(%x: tensor<*xf32>) -> !onnx.unknown {
  // CHECK-NOT: ov.space_to_depth
  // CHECK: ov.transpose
  // CHECK: func.return
  %y = onnx.node "SpaceToDepth" 13 (%x) {blocksize = 2 : i64} : (tensor<*xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}
