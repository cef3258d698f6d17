// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.is_nan %{{[0-9a-z]+}} : (tensor<2x3xf16>) -> tensor<2x3xi1>
  %x = ov.is_nan %a : (tensor<2x3xf16>) -> tensor<2x3xi1>
  func.return
}

func.func @f1(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.is_inf %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %x = ov.is_inf %a : (tensor<2x?xf32>) -> tensor<2x?xi1>
  func.return
}

func.func @f2(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.is_inf %{{[0-9a-z]+}} {detect_negative = false} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %x = ov.is_inf %a {detect_negative = false} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  func.return
}

func.func @f3(%a: tensor<*xbf16>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.is_finite %{{[0-9a-z]+}} : (tensor<*xbf16>) -> tensor<*xi1>
  %x = ov.is_finite %a : (tensor<*xbf16>) -> tensor<*xi1>
  func.return
}
