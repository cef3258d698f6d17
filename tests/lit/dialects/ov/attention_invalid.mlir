// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x4x6xf32>) {
  // expected-error@+1 {{[attention-shapes]}}
  %r = ov.scaled_dot_product_attention %a, %b, %c {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x4x6xf32>) -> tensor<2x3x4x8xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<6xf32>) {
  // expected-error@+1 {{[attention-shapes]}}
  %r = ov.scaled_dot_product_attention %a, %b, %c {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<6xf32>) -> tensor<2x3x4x8xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x5x6xf32>, %d: tensor<5xi32>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.scaled_dot_product_attention %a, %b, %c, %d {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<5xi32>) -> tensor<2x3x4x8xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x5x6xf32>, %d: tensor<5xi1>, %e: tensor<f32>, %f: tensor<f32>) {
  // expected-error@+1 {{[attention-shapes]}}
  %r = ov.scaled_dot_product_attention %a, %b, %c, %d, %e, %f {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<5xi1>, tensor<f32>, tensor<f32>) -> tensor<2x3x4x8xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x5x6xf32>, %d: tensor<6xf32>) {
  // expected-error@+1 {{[attention-shapes]}}
  %r = ov.scaled_dot_product_attention %a, %b, %c, %d {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<6xf32>) -> tensor<2x3x4x8xf32>
  func.return
}

// -----

func.func @f5(%a: tensor<1x2xi32>, %b: tensor<1x2xi32>, %c: tensor<1x2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.scaled_dot_product_attention %a, %b, %c {causal = false} : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<1x2xi32>
  func.return
}
