// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<1x3x4x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.space_to_depth %{{[0-9a-z]+}} {block_size = 2 : i64, mode = "depth_first"} : (tensor<1x3x4x?xf32>) -> tensor<1x12x2x?xf32>
  %0 = ov.space_to_depth %a0 {block_size = 2 : i64, mode = "depth_first"} : (tensor<1x3x4x?xf32>) -> tensor<1x12x2x?xf32>
  func.return
}

func.func @f1(%a0: tensor<1x8x2x3xf16>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.depth_to_space %{{[0-9a-z]+}} {block_size = 2 : i64} : (tensor<1x8x2x3xf16>) -> tensor<1x2x4x6xf16>
  %0 = ov.depth_to_space %a0 {block_size = 2 : i64} : (tensor<1x8x2x3xf16>) -> tensor<1x2x4x6xf16>
  func.return
}

func.func @f2(%a0: tensor<6x5xi8>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.shuffle_channels %{{[0-9a-z]+}} {axis = -2 : i64, group = 3 : i64} : (tensor<6x5xi8>) -> tensor<6x5xi8>
  %0 = ov.shuffle_channels %a0 {axis = -2 : i64, group = 3 : i64} : (tensor<6x5xi8>) -> tensor<6x5xi8>
  func.return
}

func.func @f3(%a0: tensor<2x5xf32>, %a1: tensor<2xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.space_to_batch %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = ov.space_to_batch %a0, %a1, %a2, %a3 : (tensor<2x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f4(%a0: tensor<2x5xf32>, %a1: tensor<2xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.batch_to_space %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = ov.batch_to_space %a0, %a1, %a2, %a3 : (tensor<2x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

func.func @f5(%a0: tensor<2x5xf32>, %a1: tensor<i64>, %a2: tensor<2xi32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.roll %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<2x5xf32>, tensor<i64>, tensor<2xi32>) -> tensor<2x5xf32>
  %0 = ov.roll %a0, %a1, %a2 : (tensor<2x5xf32>, tensor<i64>, tensor<2xi32>) -> tensor<2x5xf32>
  func.return
}

func.func @f6(%a0: tensor<2x5xf32>, %a1: tensor<2xi1>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.reverse %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {mode = "mask"} : (tensor<2x5xf32>, tensor<2xi1>) -> tensor<2x5xf32>
  %0 = ov.reverse %a0, %a1 {mode = "mask"} : (tensor<2x5xf32>, tensor<2xi1>) -> tensor<2x5xf32>
  func.return
}

func.func @f7(%a0: tensor<2x?xf32>, %a1: tensor<?xi64>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.reverse_sequence %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {batch_axis = 1 : i64, seq_axis = 0 : i64} : (tensor<2x?xf32>, tensor<?xi64>) -> tensor<2x?xf32>
  %0 = ov.reverse_sequence %a0, %a1 {batch_axis = 1 : i64, seq_axis = 0 : i64} : (tensor<2x?xf32>, tensor<?xi64>) -> tensor<2x?xf32>
  func.return
}
