// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<4x5xf32>) {
  %axis = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{[axis-range]}}
  %y, %i, %r, %c = ov.unique %a, %axis : (tensor<4x5xf32>, tensor<i64>) -> (tensor<4x?xf32>, tensor<?xi64>, tensor<5xi64>, tensor<?xi64>)
  func.return
}

// -----

func.func @f1(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{result 2 has type tensor<4xi64>, which contradicts the inferred tensor<20xi64>}}
  %y, %i, %r, %c = ov.unique %a : (tensor<4x5xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  func.return
}

// -----

func.func @f2(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{count_element_type is f32, expected i32 or i64 [element-type]}}
  %y, %i, %r, %c = ov.unique %a {count_element_type = f32} : (tensor<4x5xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<20xi64>, tensor<?xf32>)
  func.return
}
