// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<?x3x4x5xf32>, %b: tensor<2x6x?x2xf64>) {
  // CHECK-LABEL: @f0
  // CHECK: ov.grid_sample %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {mode = "bicubic", align_corners = true} : (tensor<?x3x4x5xf32>, tensor<2x6x?x2xf64>) -> tensor<2x3x6x?xf32>
  %x = ov.grid_sample %a, %b {mode = "bicubic", align_corners = true} : (tensor<?x3x4x5xf32>, tensor<2x6x?x2xf64>) -> tensor<2x3x6x?xf32>
  func.return
}

func.func @f1(%a: tensor<1x2x5x5xf32>, %o: tensor<1x8x4x4xf32>, %f: tensor<6x2x2x2xf32>, %m: tensor<1x4x4x4xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: ov.deformable_convolution %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {bilinear_interpolation_pad = true} : (tensor<1x2x5x5xf32>, tensor<1x8x4x4xf32>, tensor<6x2x2x2xf32>, tensor<1x4x4x4xf32>) -> tensor<1x6x4x4xf32>
  %x = ov.deformable_convolution %a, %o, %f, %m {bilinear_interpolation_pad = true} : (tensor<1x2x5x5xf32>, tensor<1x8x4x4xf32>, tensor<6x2x2x2xf32>, tensor<1x4x4x4xf32>) -> tensor<1x6x4x4xf32>
  func.return
}
