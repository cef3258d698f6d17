// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_sum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_sum %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f1(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_mean %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_mean %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f2(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_max %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_max %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f3(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_min %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_min %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f4(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_prod %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_prod %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f5(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_l1 %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_l1 %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f6(%a: tensor<2x3x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_l2 %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_l2 %a, %b : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f7(%a: tensor<2x3xi1>, %b: tensor<2xi32>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_logical_and %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi1>, tensor<2xi32>) -> tensor<i1>
  %x = ov.reduce_logical_and %a, %b : (tensor<2x3xi1>, tensor<2xi32>) -> tensor<i1>
  func.return
}

func.func @f8(%a: tensor<2x3xi1>, %b: tensor<2xi32>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_logical_or %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi1>, tensor<2xi32>) -> tensor<i1>
  %x = ov.reduce_logical_or %a, %b : (tensor<2x3xi1>, tensor<2xi32>) -> tensor<i1>
  func.return
}

func.func @f9(%a: tensor<2x?xf32>, %b: tensor<?xi64>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_sum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {keep_dims = true} : (tensor<2x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %x = ov.reduce_sum %a, %b {keep_dims = true} : (tensor<2x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f10(%a: tensor<2x3xf32>, %b: tensor<i32>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_sum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xf32>, tensor<i32>) -> tensor<?xf32>
  %x = ov.reduce_sum %a, %b : (tensor<2x3xf32>, tensor<i32>) -> tensor<?xf32>
  func.return
}

func.func @f11(%a: tensor<2x3xf32>, %b: tensor<?xi64>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.reduce_max %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  %x = ov.reduce_max %a, %b : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  func.return
}
