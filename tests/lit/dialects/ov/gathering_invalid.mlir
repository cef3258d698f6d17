// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<5xf32>, %i: tensor<2xi64>) {
  %s = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{[axis-range]}}
  %0 = ov.gather %a, %i, %s : (tensor<5xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<5xf32>, %i: tensor<2xi64>) {
  %s = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{[gather-batch-dims]}}
  %0 = ov.gather %a, %i, %s {batch_dims = 1 : i64} : (tensor<5xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
  func.return
}
