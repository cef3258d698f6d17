// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.add %a, %b : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<2xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.multiply %a, %b {auto_broadcast = "none"} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.add %a, %b {auto_broadcast = "often"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
