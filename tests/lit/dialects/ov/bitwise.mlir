// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_and %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %x = ov.bitwise_and %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return
}

func.func @f1(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_or %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %x = ov.bitwise_or %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return
}

func.func @f2(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_xor %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %x = ov.bitwise_xor %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return
}

func.func @f3(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_left_shift %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %x = ov.bitwise_left_shift %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return
}

func.func @f4(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_right_shift %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %x = ov.bitwise_right_shift %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return
}

func.func @f5(%a: tensor<2xi1>, %b: tensor<?xi1>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_and %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_broadcast = "none"} : (tensor<2xi1>, tensor<?xi1>) -> tensor<2xi1>
  %x = ov.bitwise_and %a, %b {auto_broadcast = "none"} : (tensor<2xi1>, tensor<?xi1>) -> tensor<2xi1>
  func.return
}

func.func @f6(%a: tensor<2xui8>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_not %{{[0-9a-z]+}} : (tensor<2xui8>) -> tensor<2xui8>
  %x = ov.bitwise_not %a : (tensor<2xui8>) -> tensor<2xui8>
  func.return
}

func.func @f7(%a: tensor<i1>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.bitwise_not %{{[0-9a-z]+}} : (tensor<i1>) -> tensor<i1>
  %x = ov.bitwise_not %a : (tensor<i1>) -> tensor<i1>
  func.return
}

func.func @f8(%a: tensor<2x3xf16>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.bit_cast %{{[0-9a-z]+}} {destination_type = i16} : (tensor<2x3xf16>) -> tensor<2x3xi16>
  %x = ov.bit_cast %a {destination_type = i16} : (tensor<2x3xf16>) -> tensor<2x3xi16>
  func.return
}

func.func @f9(%a: tensor<?xi1>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.bit_cast %{{[0-9a-z]+}} {destination_type = ui8} : (tensor<?xi1>) -> tensor<?xui8>
  %x = ov.bit_cast %a {destination_type = ui8} : (tensor<?xi1>) -> tensor<?xui8>
  func.return
}
