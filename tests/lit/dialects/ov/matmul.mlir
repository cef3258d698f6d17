// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.mat_mul %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %x = ov.mat_mul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

func.func @f1(%a: tensor<5x1x3x2xf32>, %b: tensor<4x?x3xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.mat_mul %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {transpose_a = true, transpose_b = true} : (tensor<5x1x3x2xf32>, tensor<4x?x3xf32>) -> tensor<5x4x2x?xf32>
  %x = ov.mat_mul %a, %b {transpose_a = true, transpose_b = true} : (tensor<5x1x3x2xf32>, tensor<4x?x3xf32>) -> tensor<5x4x2x?xf32>
  func.return
}

func.func @f2(%a: tensor<3xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.mat_mul %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  %x = ov.mat_mul %a, %b : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  func.return
}

func.func @f3(%a: tensor<*xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.mat_mul %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  %x = ov.mat_mul %a, %b : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  func.return
}

func.func @f4(%a: tensor<2x0xf64>, %b: tensor<0x3xf64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.mat_mul %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x0xf64>, tensor<0x3xf64>) -> tensor<2x3xf64>
  %x = ov.mat_mul %a, %b : (tensor<2x0xf64>, tensor<0x3xf64>) -> tensor<2x3xf64>
  func.return
}
