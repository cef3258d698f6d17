// RUN: loomir-opt %s -p 'ov-narrow-weights{least-bytes=1},ov-fold-constants,canonicalize' | filecheck %s
// RUN: loomir-opt %s -p ov-narrow-weights | filecheck %s --check-prefix=SMALL

// Weights this small are left alone.
// SMALL-NOT: loomir.narrow

// A zero point goes into the weights, which take 16 bits then; the scale of each filter multiplies its channel.
// CHECK-LABEL: func.func @convolution
// CHECK: %[[W:.*]] = ov.constant dense<{{.*}}> : tensor<2x1x2xi16>
// CHECK: %[[F:.*]] = ov.convert %[[W]] {loomir.narrow, destination_type = f32}
// CHECK: %[[P:.*]] = ov.convolution %x, %[[F]]
// CHECK: %[[S:.*]] = ov.constant dense<{{.*}}> : tensor<1x2x1xf32>
// CHECK: %[[R:.*]] = ov.multiply %[[P]], %[[S]]
// CHECK: return %[[R]]
func.func @convolution(%x: tensor<1x1x5xf32>) -> tensor<1x2x4xf32> {
  %w = ov.constant dense<[[[255, 0]], [[3, 4]]]> : tensor<2x1x2xui8> : tensor<2x1x2xui8>
  %z = ov.constant dense<-3> : tensor<i8> : tensor<i8>
  %s = ov.constant dense<[[[0.5]], [[0.25]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %f = ov.convert %w {destination_type = f32} : (tensor<2x1x2xui8>) -> tensor<2x1x2xf32>
  %zf = ov.convert %z {destination_type = f32} : (tensor<i8>) -> tensor<f32>
  %c = ov.subtract %f, %zf : (tensor<2x1x2xf32>, tensor<f32>) -> tensor<2x1x2xf32>
  %m = ov.multiply %c, %s : (tensor<2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<2x1x2xf32>
  %r = ov.convolution %x, %m : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
  func.return %r : tensor<1x2x4xf32>
}

// Groups, and moves between the scale and the product.
// CHECK-LABEL: func.func @groups
// CHECK: ov.constant dense<{{.*}}> : tensor<2x1x1x2xi8>
// CHECK: ov.group_convolution
// CHECK: ov.constant dense<{{.*}}> : tensor<1x2x1xf32>
// CHECK: ov.multiply
func.func @groups(%x: tensor<1x2x5xf32>) -> tensor<1x2x4xf32> {
  %w = ov.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %s = ov.constant dense<[[0.5, 0.25]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %o = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %t = ov.constant dense<[2, 1, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %f = ov.convert %w {destination_type = f32} : (tensor<2x2xi8>) -> tensor<2x2xf32>
  %m = ov.multiply %f, %s : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %a = ov.transpose %m, %o : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %b = ov.reshape %a, %t : (tensor<2x2xf32>, tensor<4xi64>) -> tensor<2x1x1x2xf32>
  %r = ov.group_convolution %x, %b : (tensor<1x2x5xf32>, tensor<2x1x1x2xf32>) -> tensor<1x2x4xf32>
  func.return %r : tensor<1x2x4xf32>
}

// A scale that changes within a sum stays where it is, and everything is folded.
// CHECK-LABEL: func.func @within_a_sum
// CHECK: %[[W:.*]] = ov.constant dense<{{.*}}> : tensor<2x2xf32>
// CHECK-NEXT: ov.mat_mul %x, %[[W]]
// CHECK-NEXT: return
func.func @within_a_sum(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = ov.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %s = ov.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %f = ov.convert %w {destination_type = f32} : (tensor<2x2xi8>) -> tensor<2x2xf32>
  %m = ov.multiply %f, %s : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %r = ov.mat_mul %x, %m : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  func.return %r : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK: ov.constant dense<{{.*}}> : tensor<2x2xi8>
// CHECK: ov.mat_mul
// CHECK: ov.constant dense<{{.*}}> : tensor<2xf32>
// CHECK: ov.multiply
func.func @columns(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = ov.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %s = ov.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %f = ov.convert %w {destination_type = f32} : (tensor<2x2xi8>) -> tensor<2x2xf32>
  %m = ov.multiply %f, %s : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %r = ov.mat_mul %x, %m {transpose_b = true} : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  func.return %r : tensor<3x2xf32>
}
