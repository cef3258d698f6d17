// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<2x?xf32>, %a1: tensor<i64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.cum_sum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {exclusive = true, reverse = true} : (tensor<2x?xf32>, tensor<i64>) -> tensor<2x?xf32>
  %0 = ov.cum_sum %a0, %a1 {exclusive = true, reverse = true} : (tensor<2x?xf32>, tensor<i64>) -> tensor<2x?xf32>
  func.return
}

func.func @f1(%a0: tensor<2x?xui32>, %a1: tensor<i64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.cum_prod %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x?xui32>, tensor<i64>) -> tensor<2x?xui32>
  %0 = ov.cum_prod %a0, %a1 : (tensor<2x?xui32>, tensor<i64>) -> tensor<2x?xui32>
  func.return
}
