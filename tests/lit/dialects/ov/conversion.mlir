// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.convert %{{[0-9a-z]+}} {destination_type = i32} : (tensor<2x?xf32>) -> tensor<2x?xi32>
  %x = ov.convert %a {destination_type = i32} : (tensor<2x?xf32>) -> tensor<2x?xi32>
  func.return
}

func.func @f1(%a: tensor<i1>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.convert %{{[0-9a-z]+}} {destination_type = bf16} : (tensor<i1>) -> tensor<bf16>
  %x = ov.convert %a {destination_type = bf16} : (tensor<i1>) -> tensor<bf16>
  func.return
}

func.func @f2(%a: tensor<*xi8>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.convert %{{[0-9a-z]+}} {destination_type = ui64} : (tensor<*xi8>) -> tensor<*xui64>
  %x = ov.convert %a {destination_type = ui64} : (tensor<*xi8>) -> tensor<*xui64>
  func.return
}

func.func @f3(%a: tensor<3xf32>, %b: tensor<*xf16>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.convert_like %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3xf32>, tensor<*xf16>) -> tensor<3xf16>
  %x = ov.convert_like %a, %b : (tensor<3xf32>, tensor<*xf16>) -> tensor<3xf16>
  func.return
}
