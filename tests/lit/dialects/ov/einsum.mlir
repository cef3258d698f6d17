// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<2x3xf32>, %a1: tensor<3x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.einsum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {equation = "ab,bc->ac"} : (tensor<2x3xf32>, tensor<3x?xf32>) -> tensor<2x?xf32>
  %0 = ov.einsum %a0, %a1 {equation = "ab,bc->ac"} : (tensor<2x3xf32>, tensor<3x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f1(%a0: tensor<2x3x3xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.einsum %{{[0-9a-z]+}} {equation = "...ii"} : (tensor<2x3x3xi64>) -> tensor<2xi64>
  %0 = ov.einsum %a0 {equation = "...ii"} : (tensor<2x3x3xi64>) -> tensor<2xi64>
  func.return
}
