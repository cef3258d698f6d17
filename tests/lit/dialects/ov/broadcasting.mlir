// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<3xf32>, %t: tensor<2xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.broadcast %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %0 = ov.broadcast %a, %t : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  func.return
}

func.func @f1(%a: tensor<3xf32>, %t: tensor<2xi64>, %m: tensor<1xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.broadcast %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {mode = "explicit"} : (tensor<3xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %0 = ov.broadcast %a, %t, %m {mode = "explicit"} : (tensor<3xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f2(%n: tensor<i64>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.range %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {output_type = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xf32>
  %0 = ov.range %n, %n, %n {output_type = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xf32>
  func.return
}

func.func @f3(%a: tensor<3xf32>, %p: tensor<1xi64>, %v: tensor<f32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.pad %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {pad_mode = "constant"} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<f32>) -> tensor<?xf32>
  %0 = ov.pad %a, %p, %p, %v {pad_mode = "constant"} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<f32>) -> tensor<?xf32>
  func.return
}

func.func @f4(%a: tensor<3xf32>, %p: tensor<1xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.pad %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {pad_mode = "reflect"} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %0 = ov.pad %a, %p, %p {pad_mode = "reflect"} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}
