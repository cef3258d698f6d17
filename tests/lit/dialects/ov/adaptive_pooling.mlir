// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<1x3x4x5xf32>, %n: tensor<2xi32>) {
  %target = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-LABEL: @f0
  // CHECK: ov.adaptive_avg_pool %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<1x3x4x5xf32>, tensor<2xi64>) -> tensor<1x3x2x3xf32>
  %x = ov.adaptive_avg_pool %a, %target : (tensor<1x3x4x5xf32>, tensor<2xi64>) -> tensor<1x3x2x3xf32>
  // CHECK: ov.adaptive_max_pool %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {index_element_type = i32} : (tensor<1x3x4x5xf32>, tensor<2xi32>) -> (tensor<1x3x?x?xf32>, tensor<1x3x?x?xi32>)
  %y, %z = ov.adaptive_max_pool %a, %n {index_element_type = i32} : (tensor<1x3x4x5xf32>, tensor<2xi32>) -> (tensor<1x3x?x?xf32>, tensor<1x3x?x?xi32>)
  func.return
}
