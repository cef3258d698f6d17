// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<3xf32>) {
  %t = ov.constant dense<[2, 4]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{[broadcast-shape]}}
  %0 = ov.broadcast %a, %t : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<3xf32>, %t: tensor<2xi64>) {
  // expected-error@+1 {{[broadcast-mapping]}}
  %0 = ov.broadcast %a, %t {mode = "explicit"} : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f2() {
  %n = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{[range-step]}}
  %0 = ov.range %n, %n, %n {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  func.return
}

// -----

func.func @f3(%a: tensor<3x3xf32>, %p: tensor<1xi64>) {
  // expected-error@+1 {{[pad-length]}}
  %0 = ov.pad %a, %p, %p {pad_mode = "constant"} : (tensor<3x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}
