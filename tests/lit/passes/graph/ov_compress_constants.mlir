// RUN: loomir-opt %s -p 'ov-compress-constants' | filecheck %s
// Constants of floats in 16 bits.


// CHECK-LABEL: func.func @weights
// CHECK-NEXT: %0 = ov.constant dense<[1.500000e+00, 9.997560e-02, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]> : tensor<16xf16> : tensor<16xf16>
// CHECK-NEXT: %w = ov.convert %0 {destination_type = f32} : (tensor<16xf16>) -> tensor<16xf32>
// CHECK-NEXT: %y = ov.multiply %x, %w : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: func.return %y : tensor<16xf32>
// CHECK-NEXT: }
func.func @weights(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w = ov.constant dense<[1.5, 0.1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<16xf32> : tensor<16xf32>
  %y = ov.multiply %x, %w : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  func.return %y : tensor<16xf32>
}


// CHECK-LABEL: func.func @large
// CHECK-NEXT: %w = ov.constant dense<[7.000000e+04, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]> : tensor<16xf32> : tensor<16xf32>
// CHECK-NEXT: %y = ov.multiply %x, %w : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: func.return %y : tensor<16xf32>
// CHECK-NEXT: }
func.func @large(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w = ov.constant dense<[70000.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<16xf32> : tensor<16xf32>
  %y = ov.multiply %x, %w : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  func.return %y : tensor<16xf32>
}


// CHECK-LABEL: func.func @others
// CHECK-NEXT: %e = ov.constant dense<1.000000e-10> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w = ov.constant dense<7> : tensor<16xi32> : tensor<16xi32>
// CHECK-NEXT: %y = ov.add %x, %e : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
// CHECK-NEXT: %z = ov.add %i, %w : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
// CHECK-NEXT: func.return %y, %z : tensor<16xf32>, tensor<16xi32>
// CHECK-NEXT: }
func.func @others(%x: tensor<16xf32>, %i: tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>) {
  %e = ov.constant dense<1.0e-10> : tensor<f32> : tensor<f32>
  %w = ov.constant dense<7> : tensor<16xi32> : tensor<16xi32>
  %y = ov.add %x, %e : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  %z = ov.add %i, %w : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  func.return %y, %z : tensor<16xf32>, tensor<16xi32>
}
