// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x3x4x5xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{[pooling-shapes]}}
  %y = ov.adaptive_avg_pool %a, %n : (tensor<1x3x4x5xf32>, tensor<3xi32>) -> tensor<1x3x?x?xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x3x4x5xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %y = ov.adaptive_avg_pool %a, %n : (tensor<1x3x4x5xi32>, tensor<2xi32>) -> tensor<1x3x?x?xi32>
  func.return
}

// -----

func.func @f2(%a: tensor<1x3x4x5xf32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %y, %z = ov.adaptive_max_pool %a, %n {index_element_type = i8} : (tensor<1x3x4x5xf32>, tensor<2xi32>) -> (tensor<1x3x?x?xf32>, tensor<1x3x?x?xi8>)
  func.return
}

// -----

func.func @f3(%a: tensor<1x3x0xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{[pooling-shapes]}}
  %y = ov.adaptive_avg_pool %a, %n : (tensor<1x3x0xf32>, tensor<1xi32>) -> tensor<1x3x?xf32>
  func.return
}
