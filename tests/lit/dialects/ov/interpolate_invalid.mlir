// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<4xf32>, %b: tensor<2xi64>) {
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-error@+1 {{[interpolate-target]}}
  %x = ov.interpolate %a, %b, %axes {mode = "nearest", shape_calculation_mode = "sizes"} : (tensor<4xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<4xi1>, %b: tensor<1xi64>, %axes: tensor<1xi64>) {
  // expected-error@+1 {{[element-type]}}
  %x = ov.interpolate %a, %b, %axes {mode = "linear", shape_calculation_mode = "sizes"} : (tensor<4xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi1>
  func.return
}

// -----

func.func @f2(%a: tensor<4xf32>, %b: tensor<1xi64>, %axes: tensor<1xi64>) {
  // expected-error@+1 {{[attribute-value]}}
  %x = ov.interpolate %a, %b, %axes {mode = "nearest", shape_calculation_mode = "size"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<4xf32>, %q: tensor<3xi32>) {
  // expected-error@+1 {{[axis-range]}}
  %x = ov.resample %a, %q {axes = array<i64: 1>} : (tensor<4xf32>, tensor<3xi32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<4xf32>, %q: tensor<3x1xi32>) {
  // expected-error@+1 {{[operand-rank]}}
  %x = ov.resample %a, %q {axes = array<i64: 0>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  func.return
}
