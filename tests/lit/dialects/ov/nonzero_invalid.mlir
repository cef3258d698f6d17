// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<4x5xi1>) {
  // expected-error@+1 {{output_type is f32, expected i32 or i64 [element-type]}}
  %0 = ov.non_zero %a {output_type = f32} : (tensor<4x5xi1>) -> tensor<2x?xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<4x5xi1>) {
  // expected-error@+1 {{result 0 has type tensor<3x?xi64>, which contradicts the inferred tensor<2x?xi64>}}
  %0 = ov.non_zero %a : (tensor<4x5xi1>) -> tensor<3x?xi64>
  func.return
}
