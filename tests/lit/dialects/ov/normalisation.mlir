// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.softmax %{{[0-9a-z]+}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %x = ov.softmax %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f1(%a: tensor<*xf16>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.softmax %{{[0-9a-z]+}} {axis = -2 : i64} : (tensor<*xf16>) -> tensor<*xf16>
  %x = ov.softmax %a {axis = -2 : i64} : (tensor<*xf16>) -> tensor<*xf16>
  func.return
}

func.func @f2(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.log_softmax %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.log_softmax %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f3(%a: tensor<f32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.log_softmax %{{[0-9a-z]+}} {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  %x = ov.log_softmax %a {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  func.return
}
