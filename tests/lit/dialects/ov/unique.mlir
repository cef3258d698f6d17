// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @elements(%a: tensor<4x5xf32>) {
  // CHECK-LABEL: @elements
  // CHECK: ov.unique %{{[0-9a-z]+}} : (tensor<4x5xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<20xi64>, tensor<?xi64>)
  %y, %i, %r, %c = ov.unique %a : (tensor<4x5xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<20xi64>, tensor<?xi64>)
  func.return
}

func.func @slices(%a: tensor<4x5xi1>) {
  // CHECK-LABEL: @slices
  // CHECK: ov.unique %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {sorted = false, index_element_type = i32, count_element_type = i32} : (tensor<4x5xi1>, tensor<i64>) -> (tensor<4x?xi1>, tensor<?xi32>, tensor<5xi32>, tensor<?xi32>)
  %axis = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %y, %i, %r, %c = ov.unique %a, %axis {sorted = false, index_element_type = i32, count_element_type = i32} : (tensor<4x5xi1>, tensor<i64>) -> (tensor<4x?xi1>, tensor<?xi32>, tensor<5xi32>, tensor<?xi32>)
  func.return
}
