// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<1x2x8x8xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.avg_pool %{{[0-9a-z]+}} {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, exclude_pad = true} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  %x = ov.avg_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, exclude_pad = true} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  func.return
}

func.func @f1(%a: tensor<*xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.avg_pool %{{[0-9a-z]+}} {kernel = array<i64: 3>, rounding_type = "ceil_torch"} : (tensor<*xf32>) -> tensor<?x?x?xf32>
  %x = ov.avg_pool %a {kernel = array<i64: 3>, rounding_type = "ceil_torch"} : (tensor<*xf32>) -> tensor<?x?x?xf32>
  func.return
}

func.func @f2(%a: tensor<1x2x?xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.max_pool %{{[0-9a-z]+}} {kernel = array<i64: 2>, dilations = array<i64: 2>, auto_pad = "same_lower"} : (tensor<1x2x?xf32>) -> (tensor<1x2x?xf32>, tensor<1x2x?xi64>)
  %x, %y = ov.max_pool %a {kernel = array<i64: 2>, dilations = array<i64: 2>, auto_pad = "same_lower"} : (tensor<1x2x?xf32>) -> (tensor<1x2x?xf32>, tensor<1x2x?xi64>)
  func.return
}

func.func @f3(%a: tensor<1x2x7xi8>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.max_pool %{{[0-9a-z]+}} {kernel = array<i64: 3>, strides = array<i64: 2>, rounding_type = "ceil", index_element_type = i32, axis = 2 : i64} : (tensor<1x2x7xi8>) -> (tensor<1x2x3xi8>, tensor<1x2x3xi32>)
  %x, %y = ov.max_pool %a {kernel = array<i64: 3>, strides = array<i64: 2>, rounding_type = "ceil", index_element_type = i32, axis = 2 : i64} : (tensor<1x2x7xi8>) -> (tensor<1x2x3xi8>, tensor<1x2x3xi32>)
  func.return
}

func.func @norm(%a: tensor<1x2x8xf32>) {
  // CHECK-LABEL: @norm
  // CHECK: ov.lp_pool %{{[0-9a-z]+}} {kernel = array<i64: 3>, p = 1.000000e+00 : f64} : (tensor<1x2x8xf32>) -> tensor<1x2x6xf32>
  %x = ov.lp_pool %a {kernel = array<i64: 3>, p = 1.000000e+00 : f64} : (tensor<1x2x8xf32>) -> tensor<1x2x6xf32>
  func.return
}
