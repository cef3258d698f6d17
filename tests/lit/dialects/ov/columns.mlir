// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<1x12x?xf32>, %a1: tensor<2xi64>, %a2: tensor<2xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.col2im %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {dilations = array<i64: 1, 2>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 0, 1>, strides = array<i64: 2, 1>} : (tensor<1x12x?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x?x?x?xf32>
  %0 = ov.col2im %a0, %a1, %a2 {dilations = array<i64: 1, 2>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 0, 1>, strides = array<i64: 2, 1>} : (tensor<1x12x?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x?x?x?xf32>
  func.return
}
