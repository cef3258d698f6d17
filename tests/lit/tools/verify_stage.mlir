// RUN: loomir-opt %s --verify-stage loops --verify-diagnostics

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{ov.tanh: not an operation of the loops stage [not-of-stage]}}
  %y = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
