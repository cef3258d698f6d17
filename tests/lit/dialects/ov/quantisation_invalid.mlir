// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%x: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{[attribute-value]}}
  %y = ov.fake_quantize %x, %s, %s, %s, %s {levels = 1 : i64} : (tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f1(%x: tensor<3xi32>, %s: tensor<i32>) {
  // expected-error@+1 {{[element-type]}}
  %y = ov.fake_quantize %x, %s, %s, %s, %s {levels = 2 : i64} : (tensor<3xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  func.return
}

// -----

func.func @f2(%x: tensor<3xf32>, %s: tensor<f32>, %h: tensor<f16>) {
  // expected-error@+1 {{[element-types-differ]}}
  %y = ov.fake_quantize %x, %s, %s, %s, %h {levels = 2 : i64} : (tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f3(%x: tensor<3xf32>, %s: tensor<f32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %y = ov.fake_quantize %x, %l, %s, %s, %s {levels = 2 : i64} : (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f4(%x: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{[attribute-value]}}
  %y = ov.fake_convert %x, %s {destination_type = f8E8M0FNU} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  func.return
}
