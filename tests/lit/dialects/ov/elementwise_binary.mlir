// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.add %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f1(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.subtract %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.subtract %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f2(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.multiply %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.multiply %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f3(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.divide %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.divide %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f4(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.power %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.power %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f5(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.maximum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.maximum %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f6(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.minimum %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.minimum %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f7(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.mod %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.mod %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f8(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.floor_mod %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.floor_mod %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f9(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.squared_difference %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.squared_difference %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f10(%a: tensor<2xi32>, %b: tensor<i32>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.divide %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {m_pythondiv = false} : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %x = ov.divide %a, %b {m_pythondiv = false} : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  func.return
}

func.func @f11(%a: tensor<?x1xui8>, %b: tensor<4xui8>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.add %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x1xui8>, tensor<4xui8>) -> tensor<?x4xui8>
  %x = ov.add %a, %b : (tensor<?x1xui8>, tensor<4xui8>) -> tensor<?x4xui8>
  func.return
}

func.func @f12(%a: tensor<*xf32>, %b: tensor<f32>) {
  // CHECK-LABEL: @f12
  // CHECK: %{{[0-9a-z]+}} = ov.add %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %x = ov.add %a, %b : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  func.return
}

func.func @f13(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // CHECK-LABEL: @f13
  // CHECK: %{{[0-9a-z]+}} = ov.subtract %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_broadcast = "none"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %x = ov.subtract %a, %b {auto_broadcast = "none"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f14(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // CHECK-LABEL: @f14
  // CHECK: %{{[0-9a-z]+}} = ov.multiply %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_broadcast = "pdpd"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.multiply %a, %b {auto_broadcast = "pdpd"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}
