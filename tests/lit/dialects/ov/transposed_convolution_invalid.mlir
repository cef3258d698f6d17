// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x2x4xf32>, %b: tensor<3x1x2xf32>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %r = ov.convolution_backprop_data %a, %b : (tensor<1x2x4xf32>, tensor<3x1x2xf32>) -> tensor<1x1x5xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x2x4xf32>, %b: tensor<2x1x2xf32>) {
  // expected-error@+1 {{[window-attributes]}}
  %r = ov.convolution_backprop_data %a, %b {output_padding = array<i64: -1>} : (tensor<1x2x4xf32>, tensor<2x1x2xf32>) -> tensor<1x1x5xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<1x2x4xf32>, %b: tensor<2x1x2xf32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %r = ov.convolution_backprop_data %a, %b, %c : (tensor<1x2x4xf32>, tensor<2x1x2xf32>, tensor<2xi64>) -> tensor<1x1x?xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<1x2x4xf32>, %b: tensor<2x1x2xf16>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.convolution_backprop_data %a, %b : (tensor<1x2x4xf32>, tensor<2x1x2xf16>) -> tensor<1x1x5xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<1x2x4xf32>, %b: tensor<2x1x2xf32>) {
  // expected-error@+1 {{contradicts the inferred}}
  %r = ov.convolution_backprop_data %a, %b : (tensor<1x2x4xf32>, tensor<2x1x2xf32>) -> tensor<1x1x4xf32>
  func.return
}
