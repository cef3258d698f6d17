// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a0: tensor<5xf32>, %a1: tensor<2x?xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.search_sorted %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {output_type = i32, right_mode = true} : (tensor<5xf32>, tensor<2x?xf32>) -> tensor<2x?xi32>
  %0 = ov.search_sorted %a0, %a1 {output_type = i32, right_mode = true} : (tensor<5xf32>, tensor<2x?xf32>) -> tensor<2x?xi32>
  func.return
}

func.func @f1(%a0: tensor<5x2x3xi32>, %a1: tensor<5x2x3xi32>, %a2: tensor<2xi32>, %a3: tensor<i32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.gather_tree %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<5x2x3xi32>, tensor<5x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5x2x3xi32>
  %0 = ov.gather_tree %a0, %a1, %a2, %a3 : (tensor<5x2x3xi32>, tensor<5x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5x2x3xi32>
  func.return
}
