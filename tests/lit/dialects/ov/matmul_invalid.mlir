// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{[matmul-shapes]}}
  %r = ov.mat_mul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<f32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{[matmul-shapes]}}
  %r = ov.mat_mul %a, %b : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @f2(%a: tensor<2x1x3xf32>, %b: tensor<3x3x1xf32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.mat_mul %a, %b : (tensor<2x1x3xf32>, tensor<3x3x1xf32>) -> tensor<3x1x1xf32>
  func.return
}
