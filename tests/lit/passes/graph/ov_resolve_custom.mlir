// RUN: loomir-opt %s -p ov-resolve-custom,ov-infer | filecheck %s

// CHECK-LABEL: func.func @known
func.func @known(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  // CHECK-NEXT: %y = ov.swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = ov.custom "Swish" in "opset4" (%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  // CHECK-NEXT: func.return %y : tensor<2x3xf32>
  func.return %y : tensor<*xf32>
}

// Attributes are those of a layer: numbers, words, or the text that a file had.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<2x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  // CHECK-NEXT: ov.clamp %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64}
  %y = ov.custom "Clamp" in "opset1" (%x) {min = 0.0 : f32, max = 6.0 : f32} : (tensor<2x3xf32>) -> tensor<*xf32>
  // CHECK-NEXT: ov.clamp %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64}
  %z = ov.custom "Clamp" in "opset1" (%x) {min = "0", max = "6.0"} : (tensor<2x3xf32>) -> tensor<*xf32>
  func.return %y, %z : tensor<*xf32>, tensor<*xf32>
}

// In regions too.
// CHECK-LABEL: func.func @nested
func.func @nested(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: ov.if %c
  %r = ov.if %c -> (tensor<2xf32>) {
    // CHECK-NEXT: ov.relu
    %y = ov.custom "ReLU" in "opset1" (%x) : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %y : tensor<2xf32>
  } else {
    ov.yield %x : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// What nobody knows stays.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<2xf32>) -> tensor<*xf32> {
  // CHECK-NEXT: ov.custom "Frobnicate" in "opset1"
  %y = ov.custom "Frobnicate" in "opset1" (%x) : (tensor<2xf32>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}

// What is somebody's own is no operator of a set, though it is called the same.
// CHECK-LABEL: func.func @own
func.func @own(%x: tensor<2xf32>) -> tensor<*xf32> {
  // CHECK-NEXT: ov.custom "ReLU" in "extension"
  %y = ov.custom "ReLU" in "extension" (%x) : (tensor<2xf32>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}
