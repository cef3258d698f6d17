// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<2x?xi32>, %a1: tensor<i64>, %a2: tensor<f32>, %a3: tensor<f32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.one_hot %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axis = -1 : i64, negative_indices_mode = "normalize"} : (tensor<2x?xi32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x?x?xf32>
  %0 = ov.one_hot %a0, %a1, %a2, %a3 {axis = -1 : i64, negative_indices_mode = "normalize"} : (tensor<2x?xi32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x?x?xf32>
  func.return
}

func.func @f1(%a0: tensor<i64>, %a1: tensor<1xi64>, %a2: tensor<i32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.eye %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {output_type = ui8} : (tensor<i64>, tensor<1xi64>, tensor<i32>) -> tensor<?x?xui8>
  %0 = ov.eye %a0, %a1, %a2 {output_type = ui8} : (tensor<i64>, tensor<1xi64>, tensor<i32>) -> tensor<?x?xui8>
  func.return
}

func.func @f2(%a0: tensor<i64>, %a1: tensor<1xi64>, %a2: tensor<i32>, %a3: tensor<1xi64>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.eye %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {output_type = f32} : (tensor<i64>, tensor<1xi64>, tensor<i32>, tensor<1xi64>) -> tensor<?x?x?xf32>
  %0 = ov.eye %a0, %a1, %a2, %a3 {output_type = f32} : (tensor<i64>, tensor<1xi64>, tensor<i32>, tensor<1xi64>) -> tensor<?x?x?xf32>
  func.return
}
