// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<1x4x4x6xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: ov.extract_image_patches %{{[0-9a-z]+}} {sizes = array<i64: 2, 3>, strides = array<i64: 1, 2>, rates = array<i64: 1, 1>, auto_pad = "valid"} : (tensor<1x4x4x6xf32>) -> tensor<1x24x3x2xf32>
  %x = ov.extract_image_patches %a {sizes = array<i64: 2, 3>, strides = array<i64: 1, 2>, rates = array<i64: 1, 1>, auto_pad = "valid"} : (tensor<1x4x4x6xf32>) -> tensor<1x24x3x2xf32>
  // CHECK: ov.reorg_yolo %{{[0-9a-z]+}} {stride = 2 : i64} : (tensor<1x4x4x6xf32>) -> tensor<1x16x2x3xf32>
  %y = ov.reorg_yolo %a {stride = 2 : i64} : (tensor<1x4x4x6xf32>) -> tensor<1x16x2x3xf32>
  func.return
}
