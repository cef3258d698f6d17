// RUN: loomir-opt %s -p ov-decompose | filecheck %s

// f16 is computed in f32 and rounded once.
// CHECK-LABEL: @h_sigmoid
func.func @h_sigmoid(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-NEXT: %[[W:[0-9]+]] = ov.convert %x {destination_type = f32}
  // CHECK:      %[[A:[0-9]+]] = ov.add %[[W]], %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[C:[0-9]+]] = ov.clamp %[[A]] {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64}
  // CHECK:      %[[M:[0-9]+]] = ov.multiply %[[C]]
  // CHECK-NEXT: %r = ov.convert %[[M]] {destination_type = f16}
  // CHECK-NEXT: func.return %r
  %r = ov.h_sigmoid %x : (tensor<4xf16>) -> tensor<4xf16>
  func.return %r : tensor<4xf16>
}

// CHECK-LABEL: @is_nan
func.func @is_nan(%x: tensor<4xf32>) -> tensor<4xi1> {
  // CHECK-NEXT: %r = ov.not_equal %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %r = ov.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// The differences are computed twice rather than stored, and there is one division for each row.
// CHECK-LABEL: @mvn
func.func @mvn(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK:      %[[MEAN:[0-9]+]] = ov.reduce_mean %x
  // CHECK-NEXT: %[[D:[0-9]+]] = ov.squared_difference %x, %[[MEAN]]
  // CHECK-NEXT: %[[C:[0-9]+]] = ov.subtract %x, %[[MEAN]]
  // CHECK-NEXT: %[[V:[0-9]+]] = ov.reduce_mean %[[D]]
  // CHECK:      %[[E:[0-9]+]] = ov.add %[[V]]
  // CHECK-NEXT: %[[S:[0-9]+]] = ov.sqrt %[[E]] : (tensor<4x1xf32>)
  // CHECK:      %[[F:[0-9]+]] = ov.divide %{{.*}}, %[[S]] : (tensor<f32>, tensor<4x1xf32>)
  // CHECK-NEXT: %r = ov.multiply %[[C]], %[[F]]
  %a = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.mvn %x, %a {eps = 0.001 : f64} : (tensor<4x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x4x8xf32>, %k: tensor<1x5x8xf32>, %v: tensor<1x5x6xf32>) -> tensor<1x4x6xf32> {
  // CHECK:      %[[Q:[0-9]+]] = ov.multiply %q
  // CHECK-NEXT: %[[S:[0-9]+]] = ov.mat_mul %[[Q]], %k {transpose_b = true}
  // CHECK:      %[[L:[0-9]+]] = ov.less_equal
  // CHECK:      %[[M:[0-9]+]] = ov.select %[[L]], %[[S]]
  // CHECK:      ov.reduce_max %[[M]]
  // CHECK:      %r = ov.mat_mul %{{.*}}, %v
  %r = ov.scaled_dot_product_attention %q, %k, %v {causal = true} : (tensor<1x4x8xf32>, tensor<1x5x8xf32>, tensor<1x5x6xf32>) -> tensor<1x4x6xf32>
  func.return %r : tensor<1x4x6xf32>
}
