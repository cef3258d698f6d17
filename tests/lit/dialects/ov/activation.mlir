// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.elu %{{[0-9a-z]+}} {alpha = 1.000000e+00 : f64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.elu %a {alpha = 1.0 : f64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f1(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.gelu %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.gelu %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f2(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.h_sigmoid %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.h_sigmoid %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f3(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.h_swish %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.h_swish %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f4(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.mish %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.mish %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f5(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.soft_plus %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.soft_plus %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f6(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.soft_sign %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.soft_sign %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f7(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.swish %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %x = ov.swish %a : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}

func.func @f8(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.gelu %{{[0-9a-z]+}} {approximation_mode = "tanh"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.gelu %a {approximation_mode = "tanh"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f9(%a: tensor<2x3xf16>, %b: tensor<f16>, %c: tensor<f16>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.hard_sigmoid %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xf16>, tensor<f16>, tensor<f16>) -> tensor<2x3xf16>
  %x = ov.hard_sigmoid %a, %b, %c : (tensor<2x3xf16>, tensor<f16>, tensor<f16>) -> tensor<2x3xf16>
  func.return
}

func.func @f10(%a: tensor<2x?xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.selu %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  %x = ov.selu %a, %b, %c : (tensor<2x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f11(%a: tensor<2x3xf16>, %b: tensor<f16>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.swish %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xf16>, tensor<f16>) -> tensor<2x3xf16>
  %x = ov.swish %a, %b : (tensor<2x3xf16>, tensor<f16>) -> tensor<2x3xf16>
  func.return
}

func.func @f12(%a: tensor<2x3x4xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f12
  // CHECK: %{{[0-9a-z]+}} = ov.prelu %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %x = ov.prelu %a, %b : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return
}

func.func @f13(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // CHECK-LABEL: @f13
  // CHECK: %{{[0-9a-z]+}} = ov.prelu %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %x = ov.prelu %a, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  func.return
}

func.func @f14(%a: tensor<2x?x4xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f14
  // CHECK: %{{[0-9a-z]+}} = ov.prelu %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x?x4xi32>, tensor<3xi32>) -> tensor<2x?x4xi32>
  %x = ov.prelu %a, %b : (tensor<2x?x4xi32>, tensor<3xi32>) -> tensor<2x?x4xi32>
  func.return
}

func.func @f15(%a: tensor<*xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f15
  // CHECK: %{{[0-9a-z]+}} = ov.prelu %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  %x = ov.prelu %a, %b : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  func.return
}
