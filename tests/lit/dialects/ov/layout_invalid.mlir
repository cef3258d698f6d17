// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x3x5xf32>) {
  // expected-error@+1 {{[layout-block]}}
  %0 = ov.space_to_depth %a {block_size = 2 : i64} : (tensor<1x3x5xf32>) -> tensor<1x6x2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x3x4xf32>) {
  // expected-error@+1 {{result 0 has type tensor<1x3x4xf32>, which contradicts the inferred tensor<1x6x2xf32>}}
  %0 = ov.space_to_depth %a {block_size = 2 : i64} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<3x4xf32>, %n: tensor<4xi64>) {
  // expected-error@+1 {{[reverse-lengths]}}
  %0 = ov.reverse_sequence %a, %n : (tensor<3x4xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<3x4xf32>) {
  // expected-error@+1 {{[einsum-equation]}}
  %0 = ov.einsum %a {equation = "ab->c"} : (tensor<3x4xf32>) -> tensor<3xf32>
  func.return
}
