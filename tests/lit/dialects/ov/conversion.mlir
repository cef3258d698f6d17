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

func.func @f4(%a: tensor<3xf32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.convert %{{[0-9a-z]+}} {destination_type = f8E4M3FN, saturate = false} : (tensor<3xf32>) -> tensor<3xf8E4M3FN>
  %x = ov.convert %a {destination_type = f8E4M3FN, saturate = false} : (tensor<3xf32>) -> tensor<3xf8E4M3FN>
  // CHECK: ov.convert %{{[0-9a-z]+}} {destination_type = f8E8M0FNU, round_mode = "down"}
  %y = ov.convert %x {destination_type = f8E8M0FNU, round_mode = "down"} : (tensor<3xf8E4M3FN>) -> tensor<3xf8E8M0FNU>
  // CHECK: ov.convert %{{[0-9a-z]+}} {destination_type = ui4} : (tensor<3xf8E8M0FNU>) -> tensor<3xui4>
  %z = ov.convert %y {destination_type = ui4} : (tensor<3xf8E8M0FNU>) -> tensor<3xui4>
  func.return
}

func.func @constants() {
  // CHECK-LABEL: @constants
  // CHECK: ov.constant dense<[1, -8, 7]> : tensor<3xi4> : tensor<3xi4>
  %a = ov.constant dense<[1, -8, 7]> : tensor<3xi4> : tensor<3xi4>
  // CHECK: ov.constant dense<[1, 15]> : tensor<2xui4> : tensor<2xui4>
  %b = ov.constant dense<[1, 15]> : tensor<2xui4> : tensor<2xui4>
  // CHECK: ov.constant dense<[1.000000e+00, -4.480000e+02]> : tensor<2xf8E4M3FN> : tensor<2xf8E4M3FN>
  %c = ov.constant dense<[1.0, -448.0]> : tensor<2xf8E4M3FN> : tensor<2xf8E4M3FN>
  func.return
}
