// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<4x5xf32>, %p: tensor<1xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.slice %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x5xf32>
  %0 = ov.slice %a, %p, %p, %p : (tensor<4x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x5xf32>
  func.return
}

func.func @f1(%a: tensor<4x5xf32>, %p: tensor<1xi64>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.slice %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %0 = ov.slice %a, %p, %p, %p, %p : (tensor<4x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f2(%a: tensor<4x5xf32>, %p: tensor<1xi64>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.strided_slice %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {begin_mask = array<i64: 0>, ellipsis_mask = array<i64: 0>, end_mask = array<i64: 1>, new_axis_mask = array<i64: 0>, shrink_axis_mask = array<i64: 1>} : (tensor<4x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  %0 = ov.strided_slice %a, %p, %p {begin_mask = array<i64: 0>, ellipsis_mask = array<i64: 0>, end_mask = array<i64: 1>, new_axis_mask = array<i64: 0>, shrink_axis_mask = array<i64: 1>} : (tensor<4x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  func.return
}

func.func @f3(%a: tensor<4x6xui8>, %x: tensor<i64>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.split %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {num_splits = 2 : i64} : (tensor<4x6xui8>, tensor<i64>) -> (tensor<?x?xui8>, tensor<?x?xui8>)
  %0, %1 = ov.split %a, %x {num_splits = 2 : i64} : (tensor<4x6xui8>, tensor<i64>) -> (tensor<?x?xui8>, tensor<?x?xui8>)
  func.return
}

func.func @f4(%a: tensor<4xf32>, %x: tensor<i64>, %p: tensor<2xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.variadic_split %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  %0, %1 = ov.variadic_split %a, %x, %p : (tensor<4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  func.return
}
