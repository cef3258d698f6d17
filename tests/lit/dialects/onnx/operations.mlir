// RUN: loomir-opt %s | loomir-opt | filecheck %s
// RUN: loomir-opt %s -p canonicalize,cse | filecheck %s --check-prefix=STAYS

// CHECK-LABEL: @attributes
// CHECK-NEXT: onnx.node "All" 3 in "example" overload "two" named "a \22name\22" () {f = 1.000000e-01 : f32, i = -1 : i64, s = "text", "not an identifier" = array<f32: 1.500000e+00, 0x7f800000>, l = array<i64>, t = dense<1> : tensor<2xui8>, k = tensor<*x!onnx.unknown>, n = ["a", "b"]} : () -> !onnx.unknown
func.func @attributes() -> !onnx.unknown {
  %r = onnx.node "All" 3 in "example" overload "two" named "a \22name\22" () {f = 0.1 : f32, i = -1 : i64, s = "text", "not an identifier" = array<f32: 1.5, 0x7f800000>, l = array<i64>, t = dense<1> : tensor<2xui8>, k = tensor<*x!onnx.unknown>, n = ["a", "b"]} : () -> !onnx.unknown
  func.return %r : !onnx.unknown
}

// CHECK-LABEL: @results
// CHECK-NEXT: %a, %b, %c = onnx.node "LSTM" 22 (%x) : (tensor<2x?x!onnx.unknown>) -> (!onnx.unknown, none, !ovseq.sequence<tensor<*xf32>>) names ["/a", "", "c_1"]
func.func @results(%x: tensor<2x?x!onnx.unknown>) -> !onnx.unknown {
  %a, %b, %c = onnx.node "LSTM" 22 (%x) : (tensor<2x?x!onnx.unknown>) -> (!onnx.unknown, none, !ovseq.sequence<tensor<*xf32>>) names ["/a", "", "c_1"]
  func.return %a : !onnx.unknown
}

// What a node does is not known: one that nothing reads stays, and so do two that look the same. A constant is known.
// STAYS-LABEL: @random
// STAYS-NEXT: onnx.node "RandomNormal"
// STAYS-NEXT: onnx.node "RandomNormal"
// STAYS-NEXT: func.return
func.func @random() {
  %w = onnx.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
  %a = onnx.node "RandomNormal" 22 () {shape = array<i64: 2>} : () -> !onnx.unknown
  %b = onnx.node "RandomNormal" 22 () {shape = array<i64: 2>} : () -> !onnx.unknown
  func.return
}
