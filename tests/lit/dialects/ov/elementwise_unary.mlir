// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.abs %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.abs %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f1(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.negative %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.negative %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f2(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.sqrt %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.sqrt %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f3(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.exp %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.exp %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f4(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.log %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.log %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f5(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.tanh %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.tanh %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f6(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.sigmoid %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.sigmoid %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f7(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.relu %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.relu %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f8(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.floor %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.floor %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f9(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.ceiling %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.ceiling %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f10(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.sign %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.sign %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f11(%a: tensor<i64>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.abs %{{[0-9a-z]+}} : (tensor<i64>) -> tensor<i64>
  %x = ov.abs %a : (tensor<i64>) -> tensor<i64>
  func.return
}

func.func @f12(%a: tensor<*xf16>) {
  // CHECK-LABEL: @f12
  // CHECK: %{{[0-9a-z]+}} = ov.relu %{{[0-9a-z]+}} : (tensor<*xf16>) -> tensor<*xf16>
  %x = ov.relu %a : (tensor<*xf16>) -> tensor<*xf16>
  func.return
}

func.func @f13(%a: tensor<0x3xf64>) {
  // CHECK-LABEL: @f13
  // CHECK: %{{[0-9a-z]+}} = ov.exp %{{[0-9a-z]+}} : (tensor<0x3xf64>) -> tensor<0x3xf64>
  %x = ov.exp %a : (tensor<0x3xf64>) -> tensor<0x3xf64>
  func.return
}

func.func @f14(%a: tensor<4xf32>) {
  // CHECK-LABEL: @f14
  // CHECK: %{{[0-9a-z]+}} = ov.clamp %{{[0-9a-z]+}} {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %x = ov.clamp %a {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

func.func @f15(%a: tensor<ui8>) {
  // CHECK-LABEL: @f15
  // CHECK: %{{[0-9a-z]+}} = ov.clamp %{{[0-9a-z]+}} {min = -1.500000e+00 : f64, max = 6.500000e+00 : f64} : (tensor<ui8>) -> tensor<ui8>
  %x = ov.clamp %a {min = -1.500000e+00 : f64, max = 6.500000e+00 : f64} : (tensor<ui8>) -> tensor<ui8>
  func.return
}

func.func @f16(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f16
  // CHECK: %{{[0-9a-z]+}} = ov.round %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.round %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f17(%a: tensor<2xbf16>) {
  // CHECK-LABEL: @f17
  // CHECK: %{{[0-9a-z]+}} = ov.round %{{[0-9a-z]+}} {mode = "half_away_from_zero"} : (tensor<2xbf16>) -> tensor<2xbf16>
  %x = ov.round %a {mode = "half_away_from_zero"} : (tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

func.func @f18(%a: tensor<*xf16>) {
  // CHECK-LABEL: @f18
  // CHECK: %{{[0-9a-z]+}} = ov.erf %{{[0-9a-z]+}} : (tensor<*xf16>) -> tensor<*xf16>
  %x = ov.erf %a : (tensor<*xf16>) -> tensor<*xf16>
  func.return
}
