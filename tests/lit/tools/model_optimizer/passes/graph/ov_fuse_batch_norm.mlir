// RUN: loomir-opt %s -p ov-fuse-batch-norm,canonicalize | filecheck %s
// RUN: loomir-opt %s -p ov-fuse-batch-norm --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// gamma / √variance = 1 and 1: beta − mean is what is left; then weights that take a scale of 2 and 1/2.
// REMARK-DAG: ov-fuse-batch-norm: done: ov.convolution: folded 1 operation into its weights and bias
// CHECK-LABEL: @norm(
func.func @norm(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %[[V0]] : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<{{[[][[]}}[5.000000e-01], [1.000000e+00]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  // CHECK-NEXT: %y = ov.add %c, %[[V1]] : (tensor<1x2x3xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %gamma = ov.constant dense<[2.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %beta = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %mean = ov.constant dense<[0.5, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %var = ov.constant dense<[4.0, 16.0]> : tensor<2xf32> : tensor<2xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.batch_norm_inference %c, %gamma, %beta, %mean, %var {epsilon = 0.0 : f32} : (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// Everything on the way: a bias, a factor per channel, a normalisation, and 1/4 less that.
// CHECK-LABEL: @chain(
func.func @chain(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[-2.000000e+00]], {{[[][[]}}-1.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %[[V0]] : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<{{[[][[]}}[-7.500000e-01], [-8.750000e-01]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  // CHECK-NEXT: %y = ov.add %c, %[[V1]] : (tensor<1x2x3xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %gamma = ov.constant dense<[2.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %beta = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %mean = ov.constant dense<[0.5, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %var = ov.constant dense<[4.0, 16.0]> : tensor<2xf32> : tensor<2xf32>
  %k = ov.constant dense<[[2.0], [0.5]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %b = ov.constant dense<0.25> : tensor<f32> : tensor<f32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %d = ov.add %c, %b : (tensor<1x2x3xf32>, tensor<f32>) -> tensor<1x2x3xf32>
  %m = ov.multiply %k, %d : (tensor<2x1xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  %n = ov.batch_norm_inference %m, %gamma, %beta, %mean, %var {epsilon = 0.0 : f32} : (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3xf32>
  %y = ov.subtract %b, %n : (tensor<f32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// A bias is where it ought to be.
// CHECK-LABEL: @bias_stays(
func.func @bias_stays(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %b = ov.constant dense<{{[[][[]}}2.000000e+00], [5.000000e-01]]> : tensor<2x1xf32> : tensor<2x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.add %c, %b : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %b = ov.constant dense<[[2.0], [0.5]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.add %c, %b : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// CHECK-LABEL: @divided(
func.func @divided(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[2.500000e-01]], {{[[][[]}}5.000000e-01]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %[[V0]] : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %c : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %k = ov.constant dense<4.0> : tensor<1x1xf32> : tensor<1x1xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.divide %c, %k : (tensor<1x2x3xf32>, tensor<1x1xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// Groups: two of one channel.
// CHECK-LABEL: @group(
func.func @group(%x: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}{{[[][[]}}2.000000e+00]]], {{[[][[]}}[1.000000e+00]]]]> : tensor<2x1x1x1xf32> : tensor<2x1x1x1xf32>
  // CHECK-NEXT: %c = ov.group_convolution %x, %[[V0]] : (tensor<1x2x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %c : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32> : tensor<2x1x1x1xf32>
  %k = ov.constant dense<[[[2.0], [0.5]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  %c = ov.group_convolution %x, %w : (tensor<1x2x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// Columns of the second factor, transposed or not, and rows of the first one.
// CHECK-LABEL: @columns(
func.func @columns(%x: tensor<?x3xf32>) -> tensor<?x2xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}2.000000e+00, 1.000000e+00], [6.000000e+00, 2.000000e+00], [1.000000e+01, 3.000000e+00]]> : tensor<3x2xf32> : tensor<3x2xf32>
  // CHECK-NEXT: %c = ov.mat_mul %x, %[[V0]] : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[2.000000e+00, -5.000000e-01]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %y = ov.add %c, %[[V1]] : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  // CHECK-NEXT: func.return %y : tensor<?x2xf32>
  %w = ov.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<3x2xf32>
  %k = ov.constant dense<[2.0, 0.5]> : tensor<2xf32> : tensor<2xf32>
  %b = ov.constant dense<[1.0, -1.0]> : tensor<2xf32> : tensor<2xf32>
  %c = ov.mat_mul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %d = ov.add %c, %b : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %y = ov.multiply %d, %k : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  func.return %y : tensor<?x2xf32>
}

// CHECK-LABEL: @transposed_columns(
func.func @transposed_columns(%x: tensor<?x3xf32>) -> tensor<?x2xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}2.000000e+00, 4.000000e+00, 6.000000e+00], [2.000000e+00, 2.500000e+00, 3.000000e+00]]> : tensor<2x3xf32> : tensor<2x3xf32>
  // CHECK-NEXT: %c = ov.mat_mul %x, %[[V0]] {transpose_b = true} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x2xf32>
  // CHECK-NEXT: func.return %c : tensor<?x2xf32>
  %w = ov.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  %k = ov.constant dense<[2.0, 0.5]> : tensor<2xf32> : tensor<2xf32>
  %c = ov.mat_mul %x, %w {transpose_b = true} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x2xf32>
  %y = ov.multiply %c, %k : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  func.return %y : tensor<?x2xf32>
}

// CHECK-LABEL: @rows(
func.func @rows(%x: tensor<3x?xf32>) -> tensor<2x?xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}2.000000e+00, 4.000000e+00, 6.000000e+00], [2.000000e+00, 2.500000e+00, 3.000000e+00]]> : tensor<2x3xf32> : tensor<2x3xf32>
  // CHECK-NEXT: %c = ov.mat_mul %[[V0]], %x : (tensor<2x3xf32>, tensor<3x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: func.return %c : tensor<2x?xf32>
  %w = ov.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  %k = ov.constant dense<[[2.0], [0.5]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %c = ov.mat_mul %w, %x : (tensor<2x3xf32>, tensor<3x?xf32>) -> tensor<2x?xf32>
  %y = ov.multiply %c, %k : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  func.return %y : tensor<2x?xf32>
}

// Without a product: a multiplication and an addition (here each scale is 1).
// REMARK-DAG: ov-fuse-batch-norm: done: ov.batch_norm_inference: merged 1 operation into one scale and one shift
// CHECK-LABEL: @no_product(
func.func @no_product(%x: tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[5.000000e-01], [1.000000e+00]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  // CHECK-NEXT: %y = ov.add %x, %[[V0]] : (tensor<?x2x?xf32>, tensor<1x2x1xf32>) -> tensor<?x2x?xf32>
  // CHECK-NEXT: func.return %y : tensor<?x2x?xf32>
  %gamma = ov.constant dense<[2.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %beta = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %mean = ov.constant dense<[0.5, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %var = ov.constant dense<[4.0, 16.0]> : tensor<2xf32> : tensor<2xf32>
  %y = ov.batch_norm_inference %x, %gamma, %beta, %mean, %var {epsilon = 0.0 : f32} : (tensor<?x2x?xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x?xf32>
  func.return %y : tensor<?x2x?xf32>
}

// CHECK-LABEL: @no_product_scaled(
func.func @no_product_scaled(%x: tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[3.000000e+00], [5.000000e+00]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.multiply %x, %[[V0]] : (tensor<?x2x?xf32>, tensor<1x2x1xf32>) -> tensor<?x2x?xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<{{[[][[]}}[5.000000e-01], [1.000000e+00]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  // CHECK-NEXT: %y = ov.add %[[V1]], %[[V2]] : (tensor<?x2x?xf32>, tensor<1x2x1xf32>) -> tensor<?x2x?xf32>
  // CHECK-NEXT: func.return %y : tensor<?x2x?xf32>
  %gamma = ov.constant dense<[2.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %beta = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %mean = ov.constant dense<[0.5, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %var = ov.constant dense<[4.0, 16.0]> : tensor<2xf32> : tensor<2xf32>
  %k = ov.constant dense<[[3.0], [5.0]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %m = ov.multiply %x, %k : (tensor<?x2x?xf32>, tensor<2x1xf32>) -> tensor<?x2x?xf32>
  %y = ov.batch_norm_inference %m, %gamma, %beta, %mean, %var {epsilon = 0.0 : f32} : (tensor<?x2x?xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x?xf32>
  func.return %y : tensor<?x2x?xf32>
}

// In bodies of branches and loops; weights stay in front of the loop.
// CHECK-LABEL: @bodies(
func.func @bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[2.000000e+00], [4.000000e+00]], {{[[][[]}}3.000000e+01], [4.000000e+01]]]> : tensor<2x2x1xf32> : tensor<2x2x1xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<{{[[][[]}}[1.000000e+01], [1.200000e+01]], {{[[][[]}}7.000000e+01], [8.000000e+01]]]> : tensor<2x2x1xf32> : tensor<2x2x1xf32>
  // CHECK-NEXT: %y = ov.if %c -> (tensor<1x2x3xf32>) {
  // CHECK-NEXT: %a = ov.convolution %x, %[[V0]] : (tensor<1x2x3xf32>, tensor<2x2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: ov.yield %a : tensor<1x2x3xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x2x3xf32>):
  // CHECK-NEXT: %d = ov.convolution %v, %[[V1]] : (tensor<1x2x3xf32>, tensor<2x2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: ov.next carried(%d : tensor<1x2x3xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: ov.yield %l : tensor<1x2x3xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32> : tensor<2x2x1xf32>
  %w2 = ov.constant dense<[[[5.0], [6.0]], [[7.0], [8.0]]]> : tensor<2x2x1xf32> : tensor<2x2x1xf32>
  %k = ov.constant dense<[[2.0], [10.0]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %y = ov.if %c -> (tensor<1x2x3xf32>) {
    %a = ov.convolution %x, %w : (tensor<1x2x3xf32>, tensor<2x2x1xf32>) -> tensor<1x2x3xf32>
    %b = ov.multiply %a, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
    ov.yield %b : tensor<1x2x3xf32>
  } else {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<1x2x3xf32>):
      %d = ov.convolution %v, %w2 : (tensor<1x2x3xf32>, tensor<2x2x1xf32>) -> tensor<1x2x3xf32>
      %e = ov.multiply %d, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
      ov.next carried(%e : tensor<1x2x3xf32>)
    }
    ov.yield %l : tensor<1x2x3xf32>
  }
  func.return %y : tensor<1x2x3xf32>
}

// Near misses. The product is needed as it is: what is behind it is one scale and one shift all the same.
// REMARK-DAG: ov-fuse-batch-norm: left: ov.convolution: its result has other uses, or is used elsewhere
// CHECK-LABEL: @other_uses(
func.func @other_uses(%x: tensor<1x1x3xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>) {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[]}}[4.000000e+00], [2.500000e-01]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  // CHECK-NEXT: %y = ov.multiply %c, %[[V0]] : (tensor<1x2x3xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y, %c : tensor<1x2x3xf32>, tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %k = ov.constant dense<[[2.0], [0.5]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %m = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.multiply %m, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  func.return %y, %c : tensor<1x2x3xf32>, tensor<1x2x3xf32>
}

// The weights would be there twice.
// REMARK-DAG: ov-fuse-batch-norm: left: ov.convolution: its weights have other uses
// CHECK-LABEL: @shared_weights(
func.func @shared_weights(%x: tensor<1x1x3xf32>, %z: tensor<1x1x3xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>) {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %k = ov.constant dense<{{[[][[]}}2.000000e+00], [5.000000e-01]]> : tensor<2x1xf32> : tensor<2x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %d = ov.convolution %z, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y, %d : tensor<1x2x3xf32>, tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %k = ov.constant dense<[[2.0], [0.5]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %d = ov.convolution %z, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  func.return %y, %d : tensor<1x2x3xf32>, tensor<1x2x3xf32>
}

// REMARK-DAG: ov-fuse-batch-norm: left: ov.convolution: the following operations vary along axis 2
// CHECK-LABEL: @another_axis(
func.func @another_axis(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %k = ov.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32> : tensor<3xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<3xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %k = ov.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<3xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// CHECK-LABEL: @two_axes(
func.func @two_axes(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %k = ov.constant dense<{{[[][[]}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32> : tensor<2x3xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<2x3xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %k = ov.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<2x3xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// The constant has an axis more, or an extent where the product has 1: the result is larger.
// CHECK-LABEL: @enlarging(
func.func @enlarging(%x: tensor<1x1x3xf32>) -> (tensor<1x1x2x3xf32>, tensor<5x2x3xf32>) {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %w2 = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %k = ov.constant dense<2.000000e+00> : tensor<1x1x1x1xf32> : tensor<1x1x1x1xf32>
  // CHECK-NEXT: %k5 = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]], {{[[][[]}}3.000000e+00]], {{[[][[]}}4.000000e+00]], {{[[][[]}}5.000000e+00]]]> : tensor<5x1x1xf32> : tensor<5x1x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x3xf32>
  // CHECK-NEXT: %d = ov.convolution %x, %w2 : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %z = ov.multiply %d, %k5 : (tensor<1x2x3xf32>, tensor<5x1x1xf32>) -> tensor<5x2x3xf32>
  // CHECK-NEXT: func.return %y, %z : tensor<1x1x2x3xf32>, tensor<5x2x3xf32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %w2 = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %k = ov.constant dense<2.0> : tensor<1x1x1x1xf32> : tensor<1x1x1x1xf32>
  %k5 = ov.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]]]> : tensor<5x1x1xf32> : tensor<5x1x1xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.multiply %c, %k : (tensor<1x2x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x3xf32>
  %d = ov.convolution %x, %w2 : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %z = ov.multiply %d, %k5 : (tensor<1x2x3xf32>, tensor<5x1x1xf32>) -> tensor<5x2x3xf32>
  func.return %y, %z : tensor<1x1x2x3xf32>, tensor<5x2x3xf32>
}

// The normalisation would be an error where there are other than two channels, and a multiplication might not.
// REMARK-DAG: ov-fuse-batch-norm: left: ov.batch_norm_inference: the rank or the channels of its input are not known
// CHECK-LABEL: @unknown_channels(
func.func @unknown_channels(%x: tensor<1x?x3xf32>) -> tensor<1x?x3xf32> {
  // CHECK-NEXT: %gamma = ov.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %beta = ov.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %mean = ov.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %var = ov.constant dense<[4.000000e+00, 1.600000e+01]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %y = ov.batch_norm_inference %x, %gamma, %beta, %mean, %var {epsilon = 0.000000e+00 : f32} : (tensor<1x?x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x?x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x?x3xf32>
  %gamma = ov.constant dense<[2.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %beta = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %mean = ov.constant dense<[0.5, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %var = ov.constant dense<[4.0, 16.0]> : tensor<2xf32> : tensor<2xf32>
  %y = ov.batch_norm_inference %x, %gamma, %beta, %mean, %var {epsilon = 0.0 : f32} : (tensor<1x?x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x?x3xf32>
  func.return %y : tensor<1x?x3xf32>
}

// REMARK-DAG: ov-fuse-batch-norm: left: ov.batch_norm_inference: its parameters are not constant
// CHECK-LABEL: @unknown_parameters(
func.func @unknown_parameters(%x: tensor<1x2x3xf32>, %g: tensor<2xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %beta = ov.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %mean = ov.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %var = ov.constant dense<[4.000000e+00, 1.600000e+01]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-NEXT: %y = ov.batch_norm_inference %x, %g, %beta, %mean, %var {epsilon = 0.000000e+00 : f32} : (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %gamma = ov.constant dense<[2.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %beta = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %mean = ov.constant dense<[0.5, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %var = ov.constant dense<[4.0, 16.0]> : tensor<2xf32> : tensor<2xf32>
  %y = ov.batch_norm_inference %x, %g, %beta, %mean, %var {epsilon = 0.0 : f32} : (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// This rounds to whole numbers.
// REMARK-DAG: ov-fuse-batch-norm: left: ov.subtract: its terms cancel each other
// CHECK-LABEL: @rounding(
func.func @rounding(%x: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %k = ov.constant dense<0x4B400000> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %m = ov.add %x, %k : (tensor<1x2x3xf32>, tensor<f32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.subtract %m, %k : (tensor<1x2x3xf32>, tensor<f32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %k = ov.constant dense<12582912.0> : tensor<f32> : tensor<f32>
  %m = ov.add %x, %k : (tensor<1x2x3xf32>, tensor<f32>) -> tensor<1x2x3xf32>
  %y = ov.subtract %m, %k : (tensor<1x2x3xf32>, tensor<f32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}

// REMARK-DAG: ov-fuse-batch-norm: left: ov.multiply: its scale or shift is not finite
// CHECK-LABEL: @too_large(
func.func @too_large(%x: tensor<1x2x3xf16>) -> tensor<1x2x3xf16> {
  // CHECK-NEXT: %k = ov.constant dense<1.000000e+03> : tensor<f16> : tensor<f16>
  // CHECK-NEXT: %m = ov.multiply %x, %k : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<1x2x3xf16>
  // CHECK-NEXT: %y = ov.multiply %m, %k : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<1x2x3xf16>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf16>
  %k = ov.constant dense<1000.0> : tensor<f16> : tensor<f16>
  %m = ov.multiply %x, %k : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<1x2x3xf16>
  %y = ov.multiply %m, %k : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<1x2x3xf16>
  func.return %y : tensor<1x2x3xf16>
}

// Of weights so small f16 has not all digits.
// REMARK-DAG: ov-fuse-batch-norm: left: ov.convolution: its weights would be too large or too small
// CHECK-LABEL: @too_small(
func.func @too_small(%x: tensor<1x1x3xf16>) -> tensor<1x2x3xf16> {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}1.000170e-04]]]> : tensor<2x1x1xf16> : tensor<2x1x1xf16>
  // CHECK-NEXT: %k = ov.constant dense<1.000400e-03> : tensor<f16> : tensor<f16>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf16>, tensor<2x1x1xf16>) -> tensor<1x2x3xf16>
  // CHECK-NEXT: %y = ov.multiply %c, %k : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<1x2x3xf16>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf16>
  %w = ov.constant dense<[[[1.0]], [[0.0001]]]> : tensor<2x1x1xf16> : tensor<2x1x1xf16>
  %k = ov.constant dense<0.001> : tensor<f16> : tensor<f16>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf16>, tensor<2x1x1xf16>) -> tensor<1x2x3xf16>
  %y = ov.multiply %c, %k : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<1x2x3xf16>
  func.return %y : tensor<1x2x3xf16>
}

// CHECK-LABEL: @integers(
func.func @integers(%x: tensor<1x1x3xi32>) -> tensor<1x2x3xi32> {
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1]], {{[[][[]}}2]]]> : tensor<2x1x1xi32> : tensor<2x1x1xi32>
  // CHECK-NEXT: %k = ov.constant dense<3> : tensor<i32> : tensor<i32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xi32>, tensor<2x1x1xi32>) -> tensor<1x2x3xi32>
  // CHECK-NEXT: %y = ov.multiply %c, %k : (tensor<1x2x3xi32>, tensor<i32>) -> tensor<1x2x3xi32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xi32>
  %w = ov.constant dense<[[[1]], [[2]]]> : tensor<2x1x1xi32> : tensor<2x1x1xi32>
  %k = ov.constant dense<3> : tensor<i32> : tensor<i32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xi32>, tensor<2x1x1xi32>) -> tensor<1x2x3xi32>
  %y = ov.multiply %c, %k : (tensor<1x2x3xi32>, tensor<i32>) -> tensor<1x2x3xi32>
  func.return %y : tensor<1x2x3xi32>
}

// CHECK-LABEL: @divided_by_x(
func.func @divided_by_x(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
  // CHECK-NEXT: %k = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %w = ov.constant dense<{{[[][[]}}[1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: %y = ov.divide %k, %c : (tensor<f32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: func.return %y : tensor<1x2x3xf32>
  %k = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %w = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %c = ov.convolution %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %y = ov.divide %k, %c : (tensor<f32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  func.return %y : tensor<1x2x3xf32>
}
