// RUN: loomir-opt %s -p 'ov-to-integer{rounding=tflite},ov-fold-constants,canonicalize' --split-input-file | filecheck %s
// RUN: not loomir-opt %s -p 'ov-to-integer{rounding=down}' --split-input-file 2>&1 | filecheck %s --check-prefix=BAD
// BAD: ov-to-integer: rounding=down must be one of exact, tflite [bad-option]

// TensorFlow Lite's multipliers of sums of products: 0.125 · 0.5 / 0.25 = 2^30 · 2^(-1 - 31), 0.125 · 1.5 / 0.25 = 1610612736 · 2^(0 - 31).
// First the product's high half, halves up; then a shift by one, halves away from zero, of what is doubled where there is no shift.
// CHECK-LABEL: func.func @main(%x: tensor<2x2xi8>)
// CHECK: %[[C:.*]] = ov.mat_mul {{.*}} -> tensor<2x2xi32>
// CHECK: %[[M32:.*]] = ov.constant dense<[1073741824, 1610612736]> : tensor<2xi32>
// CHECK: %[[M:.*]] = ov.convert %[[M32]] {loomir.stored, destination_type = i64}
// CHECK: %[[L:.*]] = ov.convert %[[C]] {destination_type = i64}
// CHECK: %[[P:.*]] = ov.multiply %[[L]], %[[M]]
// CHECK: %[[HALF:.*]] = ov.constant dense<1073741824> : tensor<i64>
// CHECK: %[[N:.*]] = ov.add %[[P]], %[[HALF]]
// CHECK: %[[BITS:.*]] = ov.constant dense<31> : tensor<i64>
// CHECK: %[[H64:.*]] = ov.bitwise_right_shift %[[N]], %[[BITS]]
// CHECK: %[[H:.*]] = ov.convert %[[H64]] {destination_type = i32}
// CHECK: %[[TWICE8:.*]] = ov.constant dense<[1, 2]> : tensor<2xi8>
// CHECK: %[[TWICE:.*]] = ov.convert %[[TWICE8]] {loomir.stored, destination_type = i32}
// CHECK: %[[D:.*]] = ov.multiply %[[H]], %[[TWICE]]
// CHECK: %[[SIGN:.*]] = ov.constant dense<31> : tensor<i32>
// CHECK: %[[BELOW:.*]] = ov.bitwise_right_shift %[[D]], %[[SIGN]]
// CHECK: %[[A:.*]] = ov.add %[[D]], %[[BELOW]]
// CHECK: %[[ONE:.*]] = ov.constant dense<1> : tensor<i32>
// CHECK: %[[B:.*]] = ov.add %[[A]], %[[ONE]]
// CHECK: %[[R:.*]] = ov.bitwise_right_shift %[[B]], %[[ONE]]
// CHECK: ov.clamp %[[R]] {min = -1.280000e+02 : f64, max = 1.270000e+02 : f64}
func.func @main(%x: tensor<2x2xi8>) -> tensor<2x2xi8> {
  %f = ov.convert %x {destination_type = f32} : (tensor<2x2xi8>) -> tensor<2x2xf32>
  %quarter = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %s = ov.multiply %f, %quarter : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %w = ov.constant dense<[[3, -5], [4, 3]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %wf = ov.convert %w {destination_type = f32} : (tensor<2x2xi8>) -> tensor<2x2xf32>
  %ws = ov.constant dense<[0.5, 1.5]> : tensor<2xf32> : tensor<2xf32>
  %ww = ov.multiply %wf, %ws : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %p = ov.mat_mul %s, %ww : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %step = ov.constant dense<0.25> : tensor<f32> : tensor<f32>
  %d = ov.divide %p, %step : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %n = ov.round %d {mode = "half_to_even"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = ov.convert %n {destination_type = i8, saturate = true} : (tensor<2x2xf32>) -> tensor<2x2xi8>
  func.return %y : tensor<2x2xi8>
}

// -----

// A sum of two tensors: each times 2^20 and its scale over twice the larger one (2^30 · 2^(0 - 31) and 2^30 · 2^(-1 - 31)); then the sum times
// 1 / (2^20 · 0.5) = 2^30 · 2^(-18 - 31).
// CHECK-LABEL: func.func @sum
// CHECK: %[[MX:.*]] = ov.constant dense<1125899906842624> : tensor<i64>
// CHECK: ov.multiply %{{.*}}, %[[MX]]
// CHECK: %[[X64:.*]] = ov.bitwise_right_shift
// CHECK: %[[X:.*]] = ov.convert %[[X64]] {destination_type = i32}
// CHECK: %[[MZ:.*]] = ov.constant dense<1125899906842624> : tensor<i64>
// CHECK: ov.multiply %{{.*}}, %[[MZ]]
// CHECK: %[[ONE:.*]] = ov.constant dense<1> : tensor<i32>
// CHECK: %[[Z:.*]] = ov.bitwise_right_shift %{{.*}}, %[[ONE]]
// CHECK: %[[S:.*]] = ov.add %[[X]], %[[Z]]
// CHECK: %[[M:.*]] = ov.constant dense<1073741824> : tensor<i64>
// CHECK: %[[S64:.*]] = ov.convert %[[S]] {destination_type = i64}
// CHECK: ov.multiply %[[S64]], %[[M]]
// CHECK: %[[BITS:.*]] = ov.constant dense<17> : tensor<i32>
// CHECK: %[[B:.*]] = ov.bitwise_right_shift %{{.*}}, %[[BITS]]
// CHECK: %[[N:.*]] = ov.add %[[B]], %{{.*}}
// CHECK: %[[R:.*]] = ov.bitwise_right_shift %[[N]]
// CHECK: ov.clamp %[[R]]
func.func @sum(%x: tensor<4xi8>, %z: tensor<4xi8>) -> tensor<4xi8> {
  %xf = ov.convert %x {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  %zf = ov.convert %z {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %quarter = ov.constant dense<0.25> : tensor<f32> : tensor<f32>
  %xs = ov.multiply %xf, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %zs = ov.multiply %zf, %quarter : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = ov.add %xs, %zs : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = ov.divide %s, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = ov.round %d {mode = "half_to_even"} : (tensor<4xf32>) -> tensor<4xf32>
  %y = ov.convert %n {destination_type = i8, saturate = true} : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
