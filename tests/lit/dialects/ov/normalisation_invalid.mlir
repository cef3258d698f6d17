// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>) {
  // expected-error@+1 {{[axis-range]}}
  %r = ov.softmax %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.log_softmax %a : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}
