// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<9x3xf32>, %a1: tensor<?xi32>, %a2: tensor<4xi32>, %a3: tensor<i32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.embedding_bag_offsets %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {reduction = "mean"} : (tensor<9x3xf32>, tensor<?xi32>, tensor<4xi32>, tensor<i32>) -> tensor<4x3xf32>
  %0 = ov.embedding_bag_offsets %a0, %a1, %a2, %a3 {reduction = "mean"} : (tensor<9x3xf32>, tensor<?xi32>, tensor<4xi32>, tensor<i32>) -> tensor<4x3xf32>
  func.return
}

func.func @f1(%a0: tensor<9x3xf32>, %a1: tensor<?xi32>, %a2: tensor<4xi32>, %a3: tensor<i32>, %a4: tensor<?xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.embedding_bag_offsets %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<9x3xf32>, tensor<?xi32>, tensor<4xi32>, tensor<i32>, tensor<?xf32>) -> tensor<4x3xf32>
  %0 = ov.embedding_bag_offsets %a0, %a1, %a2, %a3, %a4 : (tensor<9x3xf32>, tensor<?xi32>, tensor<4xi32>, tensor<i32>, tensor<?xf32>) -> tensor<4x3xf32>
  func.return
}

func.func @f2(%a0: tensor<9x3xf32>, %a1: tensor<4x2xi32>, %a2: tensor<4x2xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.embedding_bag_packed %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<9x3xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  %0 = ov.embedding_bag_packed %a0, %a1, %a2 : (tensor<9x3xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  func.return
}

func.func @f3(%a0: tensor<9x3xf32>, %a1: tensor<4xi32>, %a2: tensor<4xi32>, %a3: tensor<i32>, %a4: tensor<i32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.embedding_segments_sum %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<9x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> tensor<?x3xf32>
  %0 = ov.embedding_segments_sum %a0, %a1, %a2, %a3, %a4 : (tensor<9x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> tensor<?x3xf32>
  func.return
}
