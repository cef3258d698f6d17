// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<?x3xi64>, %b: tensor<3xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.equal %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %x = ov.equal %a, %b : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  func.return
}

func.func @f1(%a: tensor<?x3xi64>, %b: tensor<3xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.not_equal %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %x = ov.not_equal %a, %b : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  func.return
}

func.func @f2(%a: tensor<?x3xi64>, %b: tensor<3xi64>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.less %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %x = ov.less %a, %b : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  func.return
}

func.func @f3(%a: tensor<?x3xi64>, %b: tensor<3xi64>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.less_equal %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %x = ov.less_equal %a, %b : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  func.return
}

func.func @f4(%a: tensor<?x3xi64>, %b: tensor<3xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.greater %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %x = ov.greater %a, %b : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  func.return
}

func.func @f5(%a: tensor<?x3xi64>, %b: tensor<3xi64>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.greater_equal %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  %x = ov.greater_equal %a, %b : (tensor<?x3xi64>, tensor<3xi64>) -> tensor<?x3xi1>
  func.return
}

func.func @f6(%a: tensor<2x1xi1>, %b: tensor<3xi1>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.logical_and %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %x = ov.logical_and %a, %b : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  func.return
}

func.func @f7(%a: tensor<2x1xi1>, %b: tensor<3xi1>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.logical_or %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %x = ov.logical_or %a, %b : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  func.return
}

func.func @f8(%a: tensor<2x1xi1>, %b: tensor<3xi1>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.logical_xor %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %x = ov.logical_xor %a, %b : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  func.return
}

func.func @f9(%a: tensor<i1>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.logical_not %{{[0-9a-z]+}} : (tensor<i1>) -> tensor<i1>
  %x = ov.logical_not %a : (tensor<i1>) -> tensor<i1>
  func.return
}

func.func @f10(%a: tensor<i1>, %b: tensor<2xi1>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.equal %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<i1>, tensor<2xi1>) -> tensor<2xi1>
  %x = ov.equal %a, %b : (tensor<i1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

func.func @f11(%a: tensor<2x1xi1>, %b: tensor<3xf32>, %c: tensor<f32>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.select %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %x = ov.select %a, %b, %c : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

func.func @f12(%a: tensor<3xi1>, %b: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // CHECK-LABEL: @f12
  // CHECK: %{{[0-9a-z]+}} = ov.select %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {auto_broadcast = "pdpd"} : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %x = ov.select %a, %b, %c {auto_broadcast = "pdpd"} : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}
