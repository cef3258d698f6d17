// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<1x2x4x5xf32>, %b: tensor<2x3x3x3xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: ov.convolution_backprop_data %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, output_padding = array<i64: 1, 0>} : (tensor<1x2x4x5xf32>, tensor<2x3x3x3xf32>) -> tensor<1x3x9x10xf32>
  %x = ov.convolution_backprop_data %a, %b {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, output_padding = array<i64: 1, 0>} : (tensor<1x2x4x5xf32>, tensor<2x3x3x3xf32>) -> tensor<1x3x9x10xf32>
  func.return
}

func.func @f1(%a: tensor<?x4x?xf32>, %b: tensor<2x2x3x3xf32>, %c: tensor<1xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: ov.group_convolution_backprop_data %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_pad = "same_upper"} : (tensor<?x4x?xf32>, tensor<2x2x3x3xf32>, tensor<1xi64>) -> tensor<?x6x?xf32>
  %x = ov.group_convolution_backprop_data %a, %b, %c {auto_pad = "same_upper"} : (tensor<?x4x?xf32>, tensor<2x2x3x3xf32>, tensor<1xi64>) -> tensor<?x6x?xf32>
  func.return
}

func.func @f2(%a: tensor<*xf32>, %b: tensor<*xf32>, %c: tensor<2xi32>) {
  // CHECK-LABEL: @f2
  // CHECK: ov.convolution_backprop_data %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<*xf32>, tensor<*xf32>, tensor<2xi32>) -> tensor<?x?x?x?xf32>
  %x = ov.convolution_backprop_data %a, %b, %c : (tensor<*xf32>, tensor<*xf32>, tensor<2xi32>) -> tensor<?x?x?x?xf32>
  func.return
}
