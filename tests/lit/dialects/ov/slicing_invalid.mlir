// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<6xf32>, %p: tensor<1xi64>) {
  %s = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-error@+1 {{[slice-step]}}
  %0 = ov.slice %a, %p, %p, %s : (tensor<6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<6xf32>, %p: tensor<1xi64>, %q: tensor<2xi64>) {
  // expected-error@+1 {{[slice-parameters]}}
  %0 = ov.slice %a, %p, %q, %p : (tensor<6xf32>, tensor<1xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<6xf32>, %q: tensor<2xi64>) {
  // expected-error@+1 {{[strided-slice-masks]}}
  %0 = ov.strided_slice %a, %q, %q : (tensor<6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<5xf32>) {
  %s = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{[split-size]}}
  %0, %1 = ov.split %a, %s {num_splits = 2 : i64} : (tensor<5xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}
