// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<5xf32>, %i: tensor<2x1xi64>, %u: tensor<3xf32>) {
  // expected-error@+1 {{[scatter-updates]}}
  %0 = ov.scatter_nd_update %a, %i, %u : (tensor<5xf32>, tensor<2x1xi64>, tensor<3xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<5xf32>, %i: tensor<2x2xi64>, %u: tensor<2xf32>) {
  // expected-error@+1 {{[scatter-nd-depth]}}
  %0 = ov.scatter_nd_update %a, %i, %u : (tensor<5xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<5xf32>, %i: tensor<2xi64>, %u: tensor<2xi32>, %x: tensor<i64>) {
  // expected-error@+1 {{[element-types-differ]}}
  %0 = ov.scatter_elements_update %a, %i, %u, %x : (tensor<5xf32>, tensor<2xi64>, tensor<2xi32>, tensor<i64>) -> tensor<5xf32>
  func.return
}
