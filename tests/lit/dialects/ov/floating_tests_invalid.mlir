// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.is_nan %a : (tensor<2xi32>) -> tensor<2xi1>
  func.return
}
