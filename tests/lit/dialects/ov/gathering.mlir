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
