// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x2x8xf32>, %b: tensor<4x3x3xf32>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %r = ov.convolution %a, %b : (tensor<1x2x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x2x8xf32>, %b: tensor<4x2x3xf32>) {
  // expected-error@+1 {{[window-attributes]}}
  %r = ov.convolution %a, %b {strides = array<i64: 1, 1>} : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x6xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<1x2x2xf32>, %b: tensor<4x2x3xf32>) {
  // expected-error@+1 {{[window-too-large]}}
  %r = ov.convolution %a, %b : (tensor<1x2x2xf32>, tensor<4x2x3xf32>) -> tensor<1x4x0xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<1x4x8xf32>, %b: tensor<2x1x3x3xf32>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %r = ov.group_convolution %a, %b : (tensor<1x4x8xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x6xf32>
  func.return
}
