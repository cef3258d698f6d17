// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xi1>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.sin %a : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}
