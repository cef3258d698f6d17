// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<6xf32>) {
  %s = ov.constant dense<[4, 2]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{[reshape-size]}}
  %0 = ov.reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<6xf32>) {
  %s = ov.constant dense<[-1, -1]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{[reshape-pattern]}}
  %0 = ov.reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<6xf32>) {
  %s = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-error@+1 {{[squeeze-extent]}}
  %0 = ov.squeeze %a, %s {strict = true} : (tensor<6xf32>, tensor<1xi64>) -> tensor<f32>
  func.return
}

// -----

func.func @f3(%a: tensor<6xf32>) {
  %s = ov.constant dense<[0, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{[axis-twice]}}
  %0 = ov.unsqueeze %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?x?xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<6x1xf32>) {
  %s = ov.constant dense<[0, 2]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{[transpose-order]}}
  %0 = ov.transpose %a, %s : (tensor<6x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f5(%a: tensor<6x1xf32>) {
  // expected-error@+1 {{contradicts the inferred}}
  %0 = ov.shape_of %a : (tensor<6x1xf32>) -> tensor<3xi64>
  func.return
}
