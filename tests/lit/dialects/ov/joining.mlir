// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x?xf32>, %b: tensor<2x3xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.concat %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axis = -1 : i64} : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  %0 = ov.concat %a, %b {axis = -1 : i64} : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f1(%a: tensor<2xf32>, %r: tensor<3xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.tile %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %0 = ov.tile %a, %r : (tensor<2xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  func.return
}
