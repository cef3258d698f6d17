// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<5xf32>) {
  %k = ov.constant dense<6> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{k is 6, the axis has 5 elements [top-k-range]}}
  %v, %i = ov.top_k %a, %k {axis = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
  func.return
}

// -----

func.func @f1(%a: tensor<5xf32>, %k: tensor<i64>) {
  // expected-error@+1 {{[axis-range]}}
  %v, %i = ov.top_k %a, %k {axis = 1 : i64} : (tensor<5xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
  func.return
}

// -----

func.func @f2(%a: tensor<5xf32>, %k: tensor<i64>) {
  // expected-error@+1 {{mode is 'most', expected max or min [attribute-value]}}
  %v, %i = ov.top_k %a, %k {axis = 0 : i64, mode = "most"} : (tensor<5xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
  func.return
}

// -----

func.func @f3(%a: tensor<5xi1>, %k: tensor<i64>) {
  // expected-error@+1 {{[element-type]}}
  %v, %i = ov.top_k %a, %k {axis = 0 : i64} : (tensor<5xi1>, tensor<i64>) -> (tensor<?xi1>, tensor<?xi32>)
  func.return
}

// -----

func.func @f4(%a: tensor<5xf32>) {
  %k = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{k must be one number, not 2 [operand-rank]}}
  %v, %i = ov.top_k %a, %k {axis = 0 : i64} : (tensor<5xf32>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xi32>)
  func.return
}

// -----

func.func @f5(%a: tensor<5x0xf32>) {
  // expected-error@+1 {{[empty-axis]}}
  %i = ov.arg_max %a {axis = 1 : i64} : (tensor<5x0xf32>) -> tensor<5x1xi64>
  func.return
}

// -----

func.func @f6(%a: tensor<5xf32>) {
  // expected-error@+1 {{index_element_type is i8, expected i32 or i64 [element-type]}}
  %i = ov.arg_max %a {axis = 0 : i64, index_element_type = i8} : (tensor<5xf32>) -> tensor<1xi8>
  func.return
}
