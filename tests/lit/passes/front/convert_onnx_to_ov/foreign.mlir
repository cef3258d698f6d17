// RUN: loomir-opt %s -p convert-onnx-to-ov | filecheck %s

// A layer of OpenVINO's operation sets, which a transformation made: its row says what it is.
// CHECK-LABEL: func.func @layer
func.func @layer(%x: tensor<2x3xf32>, %s: tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %0 = ov.swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %a = onnx.node "Swish" 1 in "openvino.opset4" (%x) : (tensor<2x3xf32>) -> !onnx.unknown
  // CHECK-NEXT: %1 = ov.reshape %0, %s {special_zero = true} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %b = onnx.node "Reshape" 1 in "openvino.opset1" (%a, %s) {special_zero = 1 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  func.return %a, %b : !onnx.unknown, !onnx.unknown
}

// What nobody knows stays as it is; of its results is known what the file says, or the element type of the first input.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<2xi32>) -> (tensor<2xf32>, !onnx.unknown) {
  // CHECK-NEXT: %0 = ov.custom "Twist" in "com.example" (%x) {turns = 3 : i64} : (tensor<2xi32>) -> tensor<*xi32>
  %a = onnx.node "Twist" 1 in "com.example" (%x) {turns = 3 : i64} : (tensor<2xi32>) -> !onnx.unknown
  // CHECK-NEXT: %1 = ov.custom "Twist" in "com.example" (%0) : (tensor<*xi32>) -> tensor<2xf32>
  %b = onnx.node "Twist" 1 in "com.example" (%a) : (!onnx.unknown) -> tensor<2xf32>
  // CHECK-NEXT: %2, %3 = ov.custom "Turn" in "extension" () : () -> (tensor<*xf32>, tensor<3xi64>)
  %c, %d = onnx.node "Turn" 1 in "openvino.extension" () : () -> (!onnx.unknown, tensor<3xi64>)
  func.return %b, %c : tensor<2xf32>, !onnx.unknown
}

// An input that is left out keeps its place.
// CHECK-LABEL: func.func @absent
func.func @absent(%x: tensor<2xi32>) -> !onnx.unknown {
  %none = onnx.none : none
  // CHECK-NEXT: ov.custom "Twist" in "com.example" (%x, %x) {absent = array<i64: 1>}
  %a = onnx.node "Twist" 1 in "com.example" (%x, %none, %x) : (tensor<2xi32>, none, tensor<2xi32>) -> !onnx.unknown
  func.return %a : !onnx.unknown
}

// Its graphs become regions, with what they read from outside.
// CHECK-LABEL: func.func @graphs
func.func @graphs(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %0 = ov.custom "Repeat" in "com.example" (%x) : (tensor<2xf32>) -> tensor<*xf32> {
  // CHECK-NEXT: ^bb0(%1: tensor<2xf32>):
  // CHECK-NEXT:   %2 = ov.add %1, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT:   ov.yield %2 : tensor<2xf32>
  // CHECK-NEXT: }
  %a = onnx.node "Repeat" 1 in "com.example" (%x) : (tensor<2xf32>) -> !onnx.unknown graph "body" {
  ^bb0(%c: tensor<2xf32>):
    %d = onnx.node "Add" 14 (%c, %x) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
    onnx.yield %d : !onnx.unknown
  }
  func.return %a : !onnx.unknown
}

// What is somebody's own is no operator of a set, though it is called the same.
// CHECK-LABEL: func.func @own
func.func @own(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: ov.custom "Swish" in "extension" (%x) : (tensor<2xf32>) -> tensor<*xf32>
  %a = onnx.node "Swish" 1 in "openvino.extension" (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %a : !onnx.unknown
}
