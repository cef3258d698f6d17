// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>) {
  // expected-error@+1 {{has element type i64}}
  %r = ov.convert %a {destination_type = i32} : (tensor<2xf32>) -> tensor<2xi64>
  func.return
}

// -----

func.func @f1(%a: tensor<2xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.convert %a {destination_type = index} : (tensor<2xf32>) -> tensor<2xindex>
  func.return
}
