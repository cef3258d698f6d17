// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<4x5xf32>, %a1: tensor<1x?xi64>, %a2: tensor<1x?xf32>, %a3: tensor<1xi32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.scatter_elements_update %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {reduction = "mean", use_init_val = false} : (tensor<4x5xf32>, tensor<1x?xi64>, tensor<1x?xf32>, tensor<1xi32>) -> tensor<4x5xf32>
  %0 = ov.scatter_elements_update %a0, %a1, %a2, %a3 {reduction = "mean", use_init_val = false} : (tensor<4x5xf32>, tensor<1x?xi64>, tensor<1x?xf32>, tensor<1xi32>) -> tensor<4x5xf32>
  func.return
}

func.func @f1(%a0: tensor<4x5xui8>, %a1: tensor<?x1xi64>, %a2: tensor<?x5xui8>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.scatter_nd_update %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {reduction = "sub"} : (tensor<4x5xui8>, tensor<?x1xi64>, tensor<?x5xui8>) -> tensor<4x5xui8>
  %0 = ov.scatter_nd_update %a0, %a1, %a2 {reduction = "sub"} : (tensor<4x5xui8>, tensor<?x1xi64>, tensor<?x5xui8>) -> tensor<4x5xui8>
  func.return
}

func.func @f2(%a0: tensor<4x?xi1>, %a1: tensor<i64>, %a2: tensor<?xi1>, %a3: tensor<i64>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.scatter_update %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x?xi1>, tensor<i64>, tensor<?xi1>, tensor<i64>) -> tensor<4x?xi1>
  %0 = ov.scatter_update %a0, %a1, %a2, %a3 : (tensor<4x?xi1>, tensor<i64>, tensor<?xi1>, tensor<i64>) -> tensor<4x?xi1>
  func.return
}

func.func @f3(%a0: tensor<4x5xf32>, %a1: tensor<?x?xf32>, %a2: tensor<1xi64>, %a3: tensor<1xi64>, %a4: tensor<1xi64>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.slice_scatter %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x5xf32>, tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x5xf32>
  %0 = ov.slice_scatter %a0, %a1, %a2, %a3, %a4 : (tensor<4x5xf32>, tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x5xf32>
  func.return
}

func.func @f4(%a0: tensor<4x5xf32>, %a1: tensor<?x?xf32>, %a2: tensor<1xi64>, %a3: tensor<1xi64>, %a4: tensor<1xi64>, %a5: tensor<1xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.slice_scatter %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x5xf32>, tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x5xf32>
  %0 = ov.slice_scatter %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<4x5xf32>, tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x5xf32>
  func.return
}
