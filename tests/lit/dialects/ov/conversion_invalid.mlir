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

// -----

func.func @f2(%a: tensor<2xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.convert %a {destination_type = f8E8M0FNU, round_mode = "sideways"} : (tensor<2xf32>) -> tensor<2xf8E8M0FNU>
  func.return
}

// -----

// Nothing is computed in types that only keep elements.
func.func @f3(%a: tensor<2xf8E5M2>, %b: tensor<2xi4>) {
  %s = ov.constant dense<[-1]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.reshape %a, %s : (tensor<2xf8E5M2>, tensor<1xi64>) -> tensor<2xf8E5M2>
  // expected-error@+1 {{[element-type]}}
  %t = ov.add %b, %b : (tensor<2xi4>, tensor<2xi4>) -> tensor<2xi4>
  func.return
}
