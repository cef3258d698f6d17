// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.bitwise_and %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xi8>, %b: tensor<2xui8>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.bitwise_or %a, %b : (tensor<2xi8>, tensor<2xui8>) -> tensor<2xi8>
  func.return
}

// -----

func.func @f2(%a: tensor<2xi8>, %b: tensor<3xi8>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.bitwise_xor %a, %b : (tensor<2xi8>, tensor<3xi8>) -> tensor<2xi8>
  func.return
}

// -----

func.func @f3(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.bitwise_left_shift %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f4(%a: tensor<2xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.bitwise_not %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f5(%a: tensor<2xf32>) {
  // expected-error@+1 {{[bit-cast-width]}}
  %r = ov.bit_cast %a {destination_type = i64} : (tensor<2xf32>) -> tensor<2xi64>
  func.return
}

// -----

func.func @f6(%a: tensor<2xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.bit_cast %a {destination_type = index} : (tensor<2xf32>) -> tensor<2xindex>
  func.return
}
