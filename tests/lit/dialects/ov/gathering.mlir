// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<4x5xf32>, %i: tensor<?xi64>, %x: tensor<i64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.gather %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x5xf32>, tensor<?xi64>, tensor<i64>) -> tensor<?x?xf32>
  %0 = ov.gather %a, %i, %x : (tensor<4x5xf32>, tensor<?xi64>, tensor<i64>) -> tensor<?x?xf32>
  func.return
}

func.func @f1(%a: tensor<4x5xf32>, %i: tensor<4x2xi64>, %x: tensor<i64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.gather %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {batch_dims = 1 : i64, out_of_range = "error"} : (tensor<4x5xf32>, tensor<4x2xi64>, tensor<i64>) -> tensor<?x?xf32>
  %0 = ov.gather %a, %i, %x {batch_dims = 1 : i64, out_of_range = "error"} : (tensor<4x5xf32>, tensor<4x2xi64>, tensor<i64>) -> tensor<?x?xf32>
  func.return
}

func.func @g0(%a0: tensor<4x5xf32>, %a1: tensor<4x?xi32>) {
  // CHECK-LABEL: @g0
  // CHECK: %{{[0-9a-z]+}} = ov.gather_elements %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axis = -1 : i64} : (tensor<4x5xf32>, tensor<4x?xi32>) -> tensor<4x?xf32>
  %0 = ov.gather_elements %a0, %a1 {axis = -1 : i64} : (tensor<4x5xf32>, tensor<4x?xi32>) -> tensor<4x?xf32>
  func.return
}

func.func @g1(%a0: tensor<4x5xf32>, %a1: tensor<?x1xi64>) {
  // CHECK-LABEL: @g1
  // CHECK: %{{[0-9a-z]+}} = ov.gather_nd %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x5xf32>, tensor<?x1xi64>) -> tensor<?x5xf32>
  %0 = ov.gather_nd %a0, %a1 : (tensor<4x5xf32>, tensor<?x1xi64>) -> tensor<?x5xf32>
  func.return
}

func.func @g2(%a0: tensor<4x5xf32>, %a1: tensor<4x1xi64>) {
  // CHECK-LABEL: @g2
  // CHECK: %{{[0-9a-z]+}} = ov.gather_nd %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {batch_dims = 1 : i64} : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  %0 = ov.gather_nd %a0, %a1 {batch_dims = 1 : i64} : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  func.return
}
