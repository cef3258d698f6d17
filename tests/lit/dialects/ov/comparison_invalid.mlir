// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has element type f32}}
  %r = ov.less %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.logical_and %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f2(%c: tensor<2xi32>, %a: tensor<2xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.select %c, %a, %a : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
