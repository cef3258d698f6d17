// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x5x6xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.scaled_dot_product_attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {causal = true} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32>
  %x = ov.scaled_dot_product_attention %a, %b, %c {causal = true} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32>
  func.return
}

func.func @f1(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x5x6xf32>, %d: tensor<5xi1>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.scaled_dot_product_attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<5xi1>) -> tensor<2x3x4x6xf32>
  %x = ov.scaled_dot_product_attention %a, %b, %c, %d {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<5xi1>) -> tensor<2x3x4x6xf32>
  func.return
}

func.func @f2(%a: tensor<2x3x4x8xf32>, %b: tensor<2x1x5x8xf32>, %c: tensor<2x3x5x6xf32>, %d: tensor<7x1x1x4x5xf32>, %e: tensor<f32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.scaled_dot_product_attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<7x1x1x4x5xf32>, tensor<f32>) -> tensor<7x2x3x4x6xf32>
  %x = ov.scaled_dot_product_attention %a, %b, %c, %d, %e {causal = false} : (tensor<2x3x4x8xf32>, tensor<2x1x5x8xf32>, tensor<2x3x5x6xf32>, tensor<7x1x1x4x5xf32>, tensor<f32>) -> tensor<7x2x3x4x6xf32>
  func.return
}

func.func @f3(%a: tensor<1x?x8xf16>, %b: tensor<1x?x8xf16>, %c: tensor<1x?x8xf16>, %d: tensor<f16>, %e: tensor<f16>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.scaled_dot_product_attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {causal = false} : (tensor<1x?x8xf16>, tensor<1x?x8xf16>, tensor<1x?x8xf16>, tensor<f16>, tensor<f16>) -> tensor<1x?x8xf16>
  %x = ov.scaled_dot_product_attention %a, %b, %c, %d, %e {causal = false} : (tensor<1x?x8xf16>, tensor<1x?x8xf16>, tensor<1x?x8xf16>, tensor<f16>, tensor<f16>) -> tensor<1x?x8xf16>
  func.return
}

func.func @f4(%a: tensor<2x3x4x8xf32>, %b: tensor<*xf32>, %c: tensor<2x3x5x6xf32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.scaled_dot_product_attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {causal = false} : (tensor<2x3x4x8xf32>, tensor<*xf32>, tensor<2x3x5x6xf32>) -> tensor<*xf32>
  %x = ov.scaled_dot_product_attention %a, %b, %c {causal = false} : (tensor<2x3x4x8xf32>, tensor<*xf32>, tensor<2x3x5x6xf32>) -> tensor<*xf32>
  func.return
}
