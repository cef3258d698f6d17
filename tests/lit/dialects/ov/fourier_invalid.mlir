// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<3x5xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{[fourier-shapes]}}
  %r = ov.dft %a, %b : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<3x2xi32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.rdft %a, %b : (tensor<3x2xi32>, tensor<1xi64>) -> tensor<3x2xi32>
  func.return
}
