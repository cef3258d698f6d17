// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.mish %a : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.gelu %a {approximation_mode = "exact"} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{[activation-parameter]}}
  %r = ov.swish %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<2xf32>, %b: tensor<1xf32>, %c: tensor<1xf64>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.selu %a, %b, %c : (tensor<2xf32>, tensor<1xf32>, tensor<1xf64>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<2xi8>, %b: tensor<i8>, %c: tensor<i8>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.hard_sigmoid %a, %b, %c : (tensor<2xi8>, tensor<i8>, tensor<i8>) -> tensor<2xi8>
  func.return
}

// -----

func.func @f5(%a: tensor<2x3x4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.prelu %a, %b : (tensor<2x3x4xf32>, tensor<5xf32>) -> tensor<2x3x4xf32>
  func.return
}

// -----

func.func @f6(%a: tensor<4xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.prelu %a, %b : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f7(%a: tensor<2xi1>, %b: tensor<1xi1>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.prelu %a, %b : (tensor<2xi1>, tensor<1xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f8(%a: tensor<2xf32>, %b: tensor<1xf16>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.prelu %a, %b : (tensor<2xf32>, tensor<1xf16>) -> tensor<2xf32>
  func.return
}
