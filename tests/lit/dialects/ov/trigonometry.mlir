// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.sin %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.sin %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f1(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.cos %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.cos %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f2(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.tan %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.tan %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f3(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.asin %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.asin %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f4(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.acos %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.acos %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f5(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.atan %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.atan %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f6(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.sinh %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.sinh %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f7(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.cosh %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.cosh %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f8(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.asinh %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.asinh %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f9(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.acosh %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.acosh %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f10(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.atanh %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.atanh %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f11(%a: tensor<3xi32>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.cos %{{[0-9a-z]+}} : (tensor<3xi32>) -> tensor<3xi32>
  %x = ov.cos %a : (tensor<3xi32>) -> tensor<3xi32>
  func.return
}
