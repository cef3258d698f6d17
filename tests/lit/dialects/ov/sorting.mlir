// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @top_k(%a: tensor<4x?xf32>, %k: tensor<i64>) {
  // CHECK-LABEL: @top_k
  // CHECK: ov.top_k %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axis = 1 : i64} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  %v, %i = ov.top_k %a, %k {axis = 1 : i64} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  func.return
}

func.func @top_k_attributes(%a: tensor<4x9xui8>) {
  // CHECK-LABEL: @top_k_attributes
  // CHECK: ov.top_k %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axis = -1 : i64, mode = "min", sort = "index", stable = true, index_element_type = i64} : (tensor<4x9xui8>, tensor<1xi32>) -> (tensor<4x3xui8>, tensor<4x3xi64>)
  %k = ov.constant dense<3> : tensor<1xi32> : tensor<1xi32>
  %v, %i = ov.top_k %a, %k {axis = -1 : i64, mode = "min", sort = "index", stable = true, index_element_type = i64} : (tensor<4x9xui8>, tensor<1xi32>) -> (tensor<4x3xui8>, tensor<4x3xi64>)
  func.return
}

func.func @arg_max(%a: tensor<4x?xf32>) {
  // CHECK-LABEL: @arg_max
  // CHECK: ov.arg_max %{{[0-9a-z]+}} {axis = 1 : i64} : (tensor<4x?xf32>) -> tensor<4x1xi64>
  %i = ov.arg_max %a {axis = 1 : i64} : (tensor<4x?xf32>) -> tensor<4x1xi64>
  // CHECK: ov.arg_max %{{[0-9a-z]+}} {axis = 0 : i64, mode = "min", keep_dims = false, select_last_index = true, index_element_type = i32} : (tensor<4x?xf32>) -> tensor<?xi32>
  %j = ov.arg_max %a {axis = 0 : i64, mode = "min", keep_dims = false, select_last_index = true, index_element_type = i32} : (tensor<4x?xf32>) -> tensor<?xi32>
  func.return
}
