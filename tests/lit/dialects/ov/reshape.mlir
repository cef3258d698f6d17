// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.reshape %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {special_zero = true} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = ov.reshape %a, %s {special_zero = true} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f1(%a: tensor<1x3x1xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.squeeze %{{[0-9a-z]+}} : (tensor<1x3x1xf32>) -> tensor<3xf32>
  %0 = ov.squeeze %a : (tensor<1x3x1xf32>) -> tensor<3xf32>
  func.return
}

func.func @f2(%a: tensor<?x3xf32>, %x: tensor<1xi32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.squeeze %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {allow_axis_skip = true, strict = false} : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<*xf32>
  %0 = ov.squeeze %a, %x {allow_axis_skip = true, strict = false} : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<*xf32>
  func.return
}

func.func @f3(%a: tensor<f32>, %x: tensor<i64>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.unsqueeze %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<f32>, tensor<i64>) -> tensor<1xf32>
  %0 = ov.unsqueeze %a, %x : (tensor<f32>, tensor<i64>) -> tensor<1xf32>
  func.return
}

func.func @f4(%a: tensor<2x3xi8>, %x: tensor<2xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.transpose %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x3xi8>, tensor<2xi64>) -> tensor<?x?xi8>
  %0 = ov.transpose %a, %x : (tensor<2x3xi8>, tensor<2xi64>) -> tensor<?x?xi8>
  func.return
}

func.func @f5(%a: tensor<?x3xf32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.shape_of %{{[0-9a-z]+}} {output_type = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  %0 = ov.shape_of %a {output_type = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  func.return
}

func.func @f6(%a: tensor<*xf32>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.shape_of %{{[0-9a-z]+}} : (tensor<*xf32>) -> tensor<?xi64>
  %0 = ov.shape_of %a : (tensor<*xf32>) -> tensor<?xi64>
  func.return
}
