// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.convolution %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
  %x = ov.convolution %a, %b {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
  func.return
}

func.func @f1(%a: tensor<?x3x?xf32>, %b: tensor<4x3x3xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.convolution %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {dilations = array<i64: 2>} : (tensor<?x3x?xf32>, tensor<4x3x3xf32>) -> tensor<?x4x?xf32>
  %x = ov.convolution %a, %b {dilations = array<i64: 2>} : (tensor<?x3x?xf32>, tensor<4x3x3xf32>) -> tensor<?x4x?xf32>
  func.return
}

func.func @f2(%a: tensor<*xf32>, %b: tensor<4x3x1x1x1xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.convolution %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_pad = "same_upper"} : (tensor<*xf32>, tensor<4x3x1x1x1xf32>) -> tensor<?x4x?x?x?xf32>
  %x = ov.convolution %a, %b {auto_pad = "same_upper"} : (tensor<*xf32>, tensor<4x3x1x1x1xf32>) -> tensor<?x4x?x?x?xf32>
  func.return
}

func.func @f3(%a: tensor<1x6x8xf32>, %b: tensor<6x1x1x3xf32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.group_convolution %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_pad = "valid"} : (tensor<1x6x8xf32>, tensor<6x1x1x3xf32>) -> tensor<1x6x6xf32>
  %x = ov.group_convolution %a, %b {auto_pad = "valid"} : (tensor<1x6x8xf32>, tensor<6x1x1x3xf32>) -> tensor<1x6x6xf32>
  func.return
}
