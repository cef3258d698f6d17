// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>, %i: tensor<1x1xi64>) {
  // expected-error@+1 {{[reduction-axes]}}
  %r = ov.reduce_sum %a, %i : (tensor<2xf32>, tensor<1x1xi64>) -> tensor<f32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.reduce_sum %a, %i : (tensor<2xf32>, tensor<1xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @f2(%a: tensor<2xf32>) {
  %i = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{[axis-range]}}
  %r = ov.reduce_max %a, %i : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
  func.return
}

// -----

func.func @f3(%a: tensor<2x2xf32>) {
  %i = ov.constant dense<[0, -2]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{[axis-twice]}}
  %r = ov.reduce_max %a, %i : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<f32>
  func.return
}
