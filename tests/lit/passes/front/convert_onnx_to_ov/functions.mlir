// RUN: loomir-opt %s -p convert-onnx-to-ov | filecheck %s

// A call stands for what is in the function; `bias` has a default there, `by` is left out by the second call.
onnx.function "Scaled" in "example" opset 21 parameters ["by"] attributes {bias = 1.0 : f32} {
^bb0(%x: !onnx.unknown, %factor: !onnx.unknown):
  %by = onnx.node "Elu" 6 (%x) {alpha = #onnx.reference<"by" "FLOAT">} : (!onnx.unknown) -> !onnx.unknown
  %bias = onnx.node "Constant" 21 () {value_float = #onnx.reference<"bias" "FLOAT">} : () -> !onnx.unknown
  %y = onnx.node "Clip" 13 (%by, %factor, %bias) : (!onnx.unknown, !onnx.unknown, !onnx.unknown) -> !onnx.unknown
  onnx.yield %y : !onnx.unknown
}

// A graph that the call hands in reads the values of the caller.
onnx.function "Twice" in "example" opset 21 parameters ["body"] {
^bb0(%c: !onnx.unknown):
  %a = onnx.node "If" 21 (%c) {then_branch = #onnx.reference<"body" "GRAPH">} : (!onnx.unknown) -> !onnx.unknown graph "else_branch" {
    %zero = onnx.constant dense<0.0> : tensor<f32> : tensor<f32>
    onnx.yield %zero : tensor<f32>
  }
  onnx.yield %a : !onnx.unknown
}

// CHECK-NOT: onnx.function

// CHECK-LABEL: @calls(
func.func @calls(%x: tensor<2xf32>, %least: tensor<f32>) -> (!onnx.unknown, !onnx.unknown) {
  %none = onnx.none : none
  // CHECK-NEXT: %[[A:[0-9]+]] = ov.elu %x {alpha = 3.000000e+00 : f64}
  // CHECK-NEXT: %[[ONE:[0-9]+]] = ov.constant dense<1.000000e+00>
  // CHECK:      ov.minimum %{{.*}}, %[[ONE]]
  %a = onnx.node "Scaled" 1 in "example" (%x, %least) {by = 3.0 : f32} : (tensor<2xf32>, tensor<f32>) -> !onnx.unknown
  // CHECK:      ov.elu %{{.*}} {alpha = 1.000000e+00 : f64}
  // CHECK-NEXT: ov.constant dense<2.000000e+00>
  // CHECK-NEXT: ov.clamp %{{.*}} {min = 0xfff0000000000000 : f64, max = 2.000000e+00 : f64}
  %b = onnx.node "Scaled" 1 in "example" (%a, %none) {bias = 2.0 : f32} : (!onnx.unknown, none) -> !onnx.unknown
  func.return %a, %b : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @handed_in(
func.func @handed_in(%c: tensor<i1>, %x: tensor<f32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[R:[0-9]+]] = ov.if %c -> (tensor<f32>) {
  // CHECK-NEXT:   %[[N:[0-9]+]] = ov.negative %x
  // CHECK-NEXT:   ov.yield %[[N]]
  %a = onnx.node "Twice" 1 in "example" (%c) : (tensor<i1>) -> !onnx.unknown graph "body" {
    %n = onnx.node "Neg" 13 (%x) : (tensor<f32>) -> !onnx.unknown
    onnx.yield %n : !onnx.unknown
  }
  func.return %a : !onnx.unknown
}
