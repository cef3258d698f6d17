// RUN: loomir-opt %s -p ov-layout --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-layout --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p 'ov-layout{to="nhwc"}' --split-input-file | filecheck %s --check-prefix=LAST

// REMARK: ov-layout: done: func.func: 3 Transposes before, 1 after
// REMARK: ov-layout: left: ov.transpose: an input of the program has another order than ov.convolution needs
// REMARK: ov-layout: done: func.func: 2 Transposes before, 0 after
// REMARK: ov-layout: done: func.func: 1 Transposes before, 0 after
// REMARK: ov-layout: done: func.func: 1 Transposes before, 1 after
// REMARK: ov-layout: left: ov.transpose: ov.max_pool has another order than ov.reduce_sum, ov.reshape needs
// REMARK: ov-layout: done: func.func: 2 Transposes before, 0 after

// What stands between two convolutions lies as these do: constants are put so, an operand of one element stays, axes are others.
// CHECK-LABEL: @between(
func.func @between(%x: tensor<1x2x3x4xf32>, %w: tensor<4x4x1x1xf32>, %s: tensor<3x1xf32>) -> tensor<1x4x2x6xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[1, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %s_1 = ov.reshape %s, %[[V0]] : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<1x3xf32>
  // CHECK-NEXT: %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<1xf32> : tensor<1xf32>
  // CHECK-NEXT: %a = ov.transpose %x, %first : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %b = ov.convolution %a, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<{{[[][[][[][[]}}1.000000e+00]], {{[[][[]}}2.000000e+00]], {{[[][[]}}3.000000e+00]], {{[[][[]}}4.000000e+00]]]]> : tensor<1x4x1x1xf32> : tensor<1x4x1x1xf32>
  // CHECK-NEXT: %d = ov.add %b, %[[V1]] : (tensor<1x4x2x3xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %e = ov.multiply %d, %one : (tensor<1x4x2x3xf32>, tensor<1xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[0, 2]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.unsqueeze %s_1, %[[V2]] : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<1x1x1x3xf32>
  // CHECK-NEXT: %f = ov.multiply %e, %[[V3]] : (tensor<1x4x2x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %g = ov.concat %d, %f {axis = 3 : i64} : (tensor<1x4x2x3xf32>, tensor<1x4x2x3xf32>) -> tensor<1x4x2x6xf32>
  // CHECK-NEXT: %h = ov.softmax %g : (tensor<1x4x2x6xf32>) -> tensor<1x4x2x6xf32>
  // CHECK-NEXT: %j = ov.convolution %h, %w : (tensor<1x4x2x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x6xf32>
  // CHECK-NEXT: func.return %j : tensor<1x4x2x6xf32>
  %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %bias = ov.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> : tensor<4xf32>
  %one = ov.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %a = ov.transpose %x, %first : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
  %b = ov.convolution %a, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  %c = ov.transpose %b, %last : (tensor<1x4x2x3xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32>
  %d = ov.add %c, %bias : (tensor<1x2x3x4xf32>, tensor<4xf32>) -> tensor<1x2x3x4xf32>
  %e = ov.multiply %d, %one : (tensor<1x2x3x4xf32>, tensor<1xf32>) -> tensor<1x2x3x4xf32>
  %f = ov.multiply %e, %s : (tensor<1x2x3x4xf32>, tensor<3x1xf32>) -> tensor<1x2x3x4xf32>
  %g = ov.concat %d, %f {axis = -2 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x6x4xf32>
  %h = ov.softmax %g {axis = 3 : i64} : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  %i = ov.transpose %h, %first : (tensor<1x2x6x4xf32>, tensor<4xi64>) -> tensor<1x4x2x6xf32>
  %j = ov.convolution %i, %w : (tensor<1x4x2x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x6xf32>
  func.return %j : tensor<1x4x2x6xf32>
}

// -----

// Parameters with an element for each axis, and those that name axes.
// CHECK-LABEL: @parameters(
func.func @parameters(%x: tensor<1x4x6x8xf32>, %pads: tensor<4xi64>) -> tensor<1x4x?x?xf32> {
  // CHECK-NEXT: %none = ov.constant dense<0> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %from = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %to = ov.constant dense<[1, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %step = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<1x4x6x8xf32>) -> (tensor<1x4x6x8xf32>, tensor<1x4x6x8xi64>)
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 0, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[1, 0, 3, 5]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %c = ov.strided_slice %a, %[[V0]], %[[V1]] {begin_mask = array<i64: 1, 1, 0, 0>, end_mask = array<i64: 1, 1, 0, 0>, shrink_axis_mask = array<i64: 0, 0, 0, 0>} : (tensor<1x4x6x8xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[1, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %d = ov.tile %c, %[[V2]] : (tensor<1x4x2x3xf32>, tensor<4xi64>) -> tensor<1x4x4x9xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<[0, 2]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %e = ov.slice %d, %from, %to, %step, %[[V3]] : (tensor<1x4x4x9xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x4x2x9xf32>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = ov.gather %pads, %[[V5]], %[[V4]] : (tensor<4xi64>, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  // CHECK-NEXT: %f = ov.pad %e, %none, %[[V6]] : (tensor<1x4x2x9xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  // CHECK-NEXT: %h = ov.avg_pool %f {kernel = array<i64: 1, 1>} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  // CHECK-NEXT: %w = ov.constant dense<1> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %i = ov.broadcast %h, %w {mode = "bidirectional"} : (tensor<?x?x?x?xf32>, tensor<4xi64>) -> tensor<1x4x?x?xf32>
  // CHECK-NEXT: func.return %i : tensor<1x4x?x?xf32>
  %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %none = ov.constant dense<0> : tensor<4xi64> : tensor<4xi64>
  %times = ov.constant dense<[1, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %from = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %to = ov.constant dense<[1, 3]> : tensor<2xi64> : tensor<2xi64>
  %step = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %begin = ov.constant dense<[0, 1, 2]> : tensor<3xi64> : tensor<3xi64>
  %end = ov.constant dense<[1, 3, 5]> : tensor<3xi64> : tensor<3xi64>
  %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<1x4x6x8xf32>) -> (tensor<1x4x6x8xf32>, tensor<1x4x6x8xi64>)
  %b = ov.transpose %a, %last : (tensor<1x4x6x8xf32>, tensor<4xi64>) -> tensor<1x6x8x4xf32>
  %c = ov.strided_slice %b, %begin, %end {begin_mask = array<i64: 1>, end_mask = array<i64: 1, 0, 0>} : (tensor<1x6x8x4xf32>, tensor<3xi64>, tensor<3xi64>) -> tensor<1x2x3x4xf32>
  %d = ov.tile %c, %times : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x9x4xf32>
  %e = ov.slice %d, %from, %to, %step : (tensor<1x4x9x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x9x4xf32>
  %f = ov.pad %e, %none, %pads : (tensor<1x2x9x4xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  %g = ov.transpose %f, %first : (tensor<?x?x?x?xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  %h = ov.avg_pool %g {kernel = array<i64: 1, 1>} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %w = ov.constant dense<1> : tensor<4xi64> : tensor<4xi64>
  %i = ov.broadcast %h, %w {mode = "bidirectional"} : (tensor<?x?x?x?xf32>, tensor<4xi64>) -> tensor<1x4x?x?xf32>
  func.return %i : tensor<1x4x?x?xf32>
}

// -----

// Axes go, and what is left has an order of its own; what is of extent 1 moves without a Transpose, here behind the mean and before Reshape.
// CHECK-LABEL: @ranks(
func.func @ranks(%x: tensor<2x4x5x6xf32>) -> (tensor<2x4xf32>, tensor<2x5xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %channels = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %rows = ov.constant dense<[2, 4]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<2x4x5x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x4x5x6xi64>)
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %c = ov.reduce_mean %a, %[[V0]] : (tensor<2x4x5x6xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %d = ov.reduce_max %a, %[[V1]] : (tensor<2x4x5x6xf32>, tensor<1xi64>) -> tensor<2x5x6xf32>
  // CHECK-NEXT: %e = ov.gather %d, %zero, %channels : (tensor<2x5x6xf32>, tensor<i64>, tensor<1xi64>) -> tensor<2x5xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %f = ov.reduce_sum %a, %[[V2]] {keep_dims = true} : (tensor<2x4x5x6xf32>, tensor<2xi64>) -> tensor<2x4x1x1xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<[2, 1, 1, 4]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %f_1 = ov.reshape %f, %[[V3]] : (tensor<2x4x1x1xf32>, tensor<4xi64>) -> tensor<2x1x1x4xf32>
  // CHECK-NEXT: %g = ov.reshape %f_1, %rows : (tensor<2x1x1x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // CHECK-NEXT: func.return %c, %e, %g : tensor<2x4xf32>, tensor<2x5xf32>, tensor<2x4xf32>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %space = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
  %channels = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %rows = ov.constant dense<[2, 4]> : tensor<2xi64> : tensor<2xi64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<2x4x5x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x4x5x6xi64>)
  %b = ov.transpose %a, %last : (tensor<2x4x5x6xf32>, tensor<4xi64>) -> tensor<2x5x6x4xf32>
  %c = ov.reduce_mean %b, %space {keep_dims = false} : (tensor<2x5x6x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %d = ov.reduce_max %b, %channels {keep_dims = false} : (tensor<2x5x6x4xf32>, tensor<1xi64>) -> tensor<2x5x6xf32>
  %e = ov.gather %d, %zero, %channels : (tensor<2x5x6xf32>, tensor<i64>, tensor<1xi64>) -> tensor<2x5xf32>
  %f = ov.reduce_sum %b, %space {keep_dims = true} : (tensor<2x5x6x4xf32>, tensor<2xi64>) -> tensor<2x1x1x4xf32>
  %g = ov.reshape %f, %rows : (tensor<2x1x1x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  func.return %c, %e, %g : tensor<2x4xf32>, tensor<2x5xf32>, tensor<2x4xf32>
}

// -----

// Sums over height, width and channels would be in another order: near miss. Reshape to rows, too. The maximum of one axis follows.
// CHECK-LABEL: @order_of_sums(
func.func @order_of_sums(%x: tensor<2x4x5x6xf32>) -> (tensor<2xf32>, tensor<2x120xf32>) {
  // CHECK-NEXT: %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %all = ov.constant dense<[1, 2, 3]> : tensor<3xi64> : tensor<3xi64>
  // CHECK-NEXT: %rows = ov.constant dense<[2, 120]> : tensor<2xi64> : tensor<2xi64>
  // CHECK-NEXT: %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<2x4x5x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x4x5x6xi64>)
  // CHECK-NEXT: %b = ov.transpose %a, %last : (tensor<2x4x5x6xf32>, tensor<4xi64>) -> tensor<2x5x6x4xf32>
  // CHECK-NEXT: %c = ov.reduce_sum %b, %all : (tensor<2x5x6x4xf32>, tensor<3xi64>) -> tensor<2xf32>
  // CHECK-NEXT: %d = ov.reshape %b, %rows : (tensor<2x5x6x4xf32>, tensor<2xi64>) -> tensor<2x120xf32>
  // CHECK-NEXT: func.return %c, %d : tensor<2xf32>, tensor<2x120xf32>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %all = ov.constant dense<[1, 2, 3]> : tensor<3xi64> : tensor<3xi64>
  %rows = ov.constant dense<[2, 120]> : tensor<2xi64> : tensor<2xi64>
  %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<2x4x5x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x4x5x6xi64>)
  %b = ov.transpose %a, %last : (tensor<2x4x5x6xf32>, tensor<4xi64>) -> tensor<2x5x6x4xf32>
  %c = ov.reduce_sum %b, %all {keep_dims = false} : (tensor<2x5x6x4xf32>, tensor<3xi64>) -> tensor<2xf32>
  %d = ov.reshape %b, %rows : (tensor<2x5x6x4xf32>, tensor<2xi64>) -> tensor<2x120xf32>
  func.return %c, %d : tensor<2xf32>, tensor<2x120xf32>
}

// -----

// The shape of a value that lies otherwise: an extent is picked where it is now, the whole is put in order.
// CHECK-LABEL: @shapes(
func.func @shapes(%x: tensor<1x4x?x?xf32>) -> (tensor<i64>, tensor<4xi64>, tensor<1x4x?x?xf32>) {
  // CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<1x4x?x?xf32>) -> (tensor<1x4x?x?xf32>, tensor<1x4x?x?xi64>)
  // CHECK-NEXT: %c = ov.relu %a : (tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  // CHECK-NEXT: %s = ov.shape_of %c : (tensor<1x4x?x?xf32>) -> tensor<4xi64>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.gather %s, %[[V0]], %[[V1]] : (tensor<4xi64>, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<3> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %w = ov.gather %s, %[[V3]], %zero : (tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  // CHECK-NEXT: %e = ov.avg_pool %c {kernel = array<i64: 1, 1>} : (tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  // CHECK-NEXT: func.return %w, %[[V2]], %e : tensor<i64>, tensor<4xi64>, tensor<1x4x?x?xf32>
  %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<1x4x?x?xf32>) -> (tensor<1x4x?x?xf32>, tensor<1x4x?x?xi64>)
  %b = ov.transpose %a, %last : (tensor<1x4x?x?xf32>, tensor<4xi64>) -> tensor<1x?x?x4xf32>
  %c = ov.relu %b : (tensor<1x?x?x4xf32>) -> tensor<1x?x?x4xf32>
  %s = ov.shape_of %c {output_type = i64} : (tensor<1x?x?x4xf32>) -> tensor<4xi64>
  %w = ov.gather %s, %two, %zero : (tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %d = ov.transpose %c, %first : (tensor<1x?x?x4xf32>, tensor<4xi64>) -> tensor<1x4x?x?xf32>
  %e = ov.avg_pool %d {kernel = array<i64: 1, 1>} : (tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  func.return %w, %s, %e : tensor<i64>, tensor<4xi64>, tensor<1x4x?x?xf32>
}

// -----

// A loop: what it carries lies as the convolution in it wants, what it cuts and joins too, and the Transposes are in front of it and behind.
// CHECK-LABEL: @loop(
func.func @loop(%n: tensor<i64>, %h: tensor<1x2x3x4xf32>, %film: tensor<1x5x2x3x4xf32>, %w: tensor<4x4x1x1xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x?x4xf32>) {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 1, 4, 2, 3]> : tensor<5xi64> : tensor<5xi64>
  // CHECK-NEXT: %film_1 = ov.transpose %film, %[[V0]] : (tensor<1x5x2x3x4xf32>, tensor<5xi64>) -> tensor<1x5x4x2x3xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %h_1 = ov.transpose %h, %[[V1]] : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %r, %all = ov.loop trip(%n) carried(%h_1) sliced(%film_1) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 3, stride = 3, part_size = 3>]} : (tensor<i64>, tensor<1x4x2x3xf32>, tensor<1x5x4x2x3xf32>) -> (tensor<1x4x2x3xf32>, tensor<1x4x2x?xf32>) {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %c: tensor<1x4x2x3xf32>, %part: tensor<1x1x4x2x3xf32>):
  // CHECK-NEXT: %image = ov.squeeze %part, %one : (tensor<1x1x4x2x3xf32>, tensor<1xi64>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %sum = ov.add %c, %image : (tensor<1x4x2x3xf32>, tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %b = ov.convolution %sum, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: ov.next carried(%b : tensor<1x4x2x3xf32>) concat(%b : tensor<1x4x2x3xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %all_1 = ov.transpose %all, %[[V2]] : (tensor<1x4x2x?xf32>, tensor<4xi64>) -> tensor<1x2x?x4xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %r_1 = ov.transpose %r, %[[V3]] : (tensor<1x4x2x3xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: func.return %r_1, %all_1 : tensor<1x2x3x4xf32>, tensor<1x2x?x4xf32>
  %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %r, %all = ov.loop trip(%n) carried(%h) sliced(%film) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 2, part_size = 3, stride = 3>]} : (tensor<i64>, tensor<1x2x3x4xf32>, tensor<1x5x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x?x4xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<1x2x3x4xf32>, %part: tensor<1x1x2x3x4xf32>):
    %image = ov.squeeze %part, %one : (tensor<1x1x2x3x4xf32>, tensor<1xi64>) -> tensor<1x2x3x4xf32>
    %sum = ov.add %c, %image : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %a = ov.transpose %sum, %first : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
    %b = ov.convolution %a, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
    %d = ov.transpose %b, %last : (tensor<1x4x2x3xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32>
    ov.next carried(%d : tensor<1x2x3x4xf32>) concat(%d : tensor<1x2x3x4xf32>)
  }
  func.return %r, %all : tensor<1x2x3x4xf32>, tensor<1x2x?x4xf32>
}

// -----

// A branch: what both arms give lies channels first; what only one of them needs of the input otherwise stands there.
// CHECK-LABEL: @branch(
func.func @branch(%c: tensor<i1>, %x: tensor<1x2x3x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32> {
  // CHECK-NEXT: %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<0.000000e+00> : tensor<1x4x2x3xf32> : tensor<1x4x2x3xf32>
  // CHECK-NEXT: %r = ov.if %c -> (tensor<1x4x2x3xf32>) {
  // CHECK-NEXT: %a = ov.transpose %x, %first : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: %b = ov.convolution %a, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: ov.yield %b : tensor<1x4x2x3xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ov.yield %[[V0]] : tensor<1x4x2x3xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: %f = ov.convolution %r, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  // CHECK-NEXT: func.return %f : tensor<1x4x2x3xf32>
  %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %zero = ov.constant dense<0.0> : tensor<1x2x3x4xf32> : tensor<1x2x3x4xf32>
  %r = ov.if %c -> (tensor<1x2x3x4xf32>) {
    %a = ov.transpose %x, %first : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
    %b = ov.convolution %a, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
    %d = ov.transpose %b, %last : (tensor<1x4x2x3xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32>
    ov.yield %d : tensor<1x2x3x4xf32>
  } else {
    ov.yield %zero : tensor<1x2x3x4xf32>
  }
  %e = ov.transpose %r, %first : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x4x2x3xf32>
  %f = ov.convolution %e, %w : (tensor<1x4x2x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x3xf32>
  func.return %f : tensor<1x4x2x3xf32>
}

// -----

// Five axes; two Transposes in a row are one, and one of a constant is a constant.
// CHECK-LABEL: @volumes(
func.func @volumes(%x: tensor<1x3x4x5x2xf32>) -> tensor<1x3x4x5x1xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[0, 4, 1, 2, 3]> : tensor<5xi64> : tensor<5xi64>
  // CHECK-NEXT: %x_1 = ov.transpose %x, %[[V0]] : (tensor<1x3x4x5x2xf32>, tensor<5xi64>) -> tensor<1x2x3x4x5xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<{{[[][[][[][[][[]}}5.000000e-01]]], {{[[][[][[]}}1.500000e+00]]]]]> : tensor<1x2x1x1x1xf32> : tensor<1x2x1x1x1xf32>
  // CHECK-NEXT: %y = ov.convolution %x_1, %[[V1]] : (tensor<1x2x3x4x5xf32>, tensor<1x2x1x1x1xf32>) -> tensor<1x1x3x4x5xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[1, 3, 4, 5, 1]> : tensor<5xi64> : tensor<5xi64>
  // CHECK-NEXT: %y_1 = ov.reshape %y, %[[V2]] : (tensor<1x1x3x4x5xf32>, tensor<5xi64>) -> tensor<1x3x4x5x1xf32>
  // CHECK-NEXT: func.return %y_1 : tensor<1x3x4x5x1xf32>
  %first = ov.constant dense<[0, 4, 1, 2, 3]> : tensor<5xi64> : tensor<5xi64>
  %last = ov.constant dense<[0, 2, 3, 4, 1]> : tensor<5xi64> : tensor<5xi64>
  %turn = ov.constant dense<[4, 3, 0, 1, 2]> : tensor<5xi64> : tensor<5xi64>
  %k = ov.constant dense<[[[[[0.5], [1.5]]]]]> : tensor<1x1x1x2x1xf32> : tensor<1x1x1x2x1xf32>
  %x1 = ov.transpose %x, %last : (tensor<1x3x4x5x2xf32>, tensor<5xi64>) -> tensor<1x4x5x2x3xf32>
  %x2 = ov.transpose %x1, %first : (tensor<1x4x5x2x3xf32>, tensor<5xi64>) -> tensor<1x3x4x5x2xf32>
  %x3 = ov.transpose %x2, %first : (tensor<1x3x4x5x2xf32>, tensor<5xi64>) -> tensor<1x2x3x4x5xf32>
  %w = ov.transpose %k, %turn : (tensor<1x1x1x2x1xf32>, tensor<5xi64>) -> tensor<1x2x1x1x1xf32>
  %y = ov.convolution %x3, %w : (tensor<1x2x3x4x5xf32>, tensor<1x2x1x1x1xf32>) -> tensor<1x1x3x4x5xf32>
  %z = ov.transpose %y, %last : (tensor<1x1x3x4x5xf32>, tensor<5xi64>) -> tensor<1x3x4x5x1xf32>
  func.return %z : tensor<1x3x4x5x1xf32>
}

// -----

// Nothing here needs an order: near miss, even where Transposes cancel each other.
// CHECK-LABEL: @no_convolution(
func.func @no_convolution(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: %swap = ov.constant dense<[0, 2, 1]> : tensor<3xi64> : tensor<3xi64>
  // CHECK-NEXT: %a = ov.transpose %x, %swap : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %b = ov.relu %a : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: %c = ov.transpose %b, %swap : (tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: func.return %c : tensor<2x3x4xf32>
  %swap = ov.constant dense<[0, 2, 1]> : tensor<3xi64> : tensor<3xi64>
  %a = ov.transpose %x, %swap : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
  %b = ov.relu %a : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %c = ov.transpose %b, %swap : (tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  func.return %c : tensor<2x3x4xf32>
}

// -----

// Channels last: what stands between convolutions lies so, and each convolution between Transposes, but for what comes from outside.
// CHECK-LABEL: @last(
// LAST-LABEL: @last(
func.func @last(%x: tensor<1x2x3x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32> {
  // CHECK-NEXT: %bias = ov.constant dense<{{[[][[][[]}}1.000000e+00]], {{[[][[]}}2.000000e+00]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  // CHECK-NEXT: %a = ov.convolution %x, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: %b = ov.add %a, %bias : (tensor<1x2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: %c = ov.softmax %b {axis = -3 : i64} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: %d = ov.convolution %c, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: %e = ov.convolution %d, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: func.return %e : tensor<1x2x3x4xf32>
  // LAST-NEXT: %[[V0:[0-9]+]] = ov.constant dense<{{[[][[][[]}}1.000000e+00, 2.000000e+00]]]> : tensor<1x1x2xf32> : tensor<1x1x2xf32>
  // LAST-NEXT: %a = ov.convolution %x, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // LAST-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  // LAST-NEXT: %a_1 = ov.transpose %a, %[[V1]] : (tensor<1x2x3x4xf32>, tensor<4xi64>) -> tensor<1x3x4x2xf32>
  // LAST-NEXT: %b = ov.add %a_1, %[[V0]] : (tensor<1x3x4x2xf32>, tensor<1x1x2xf32>) -> tensor<1x3x4x2xf32>
  // LAST-NEXT: %c = ov.softmax %b {axis = 3 : i64} : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  // LAST-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  // LAST-NEXT: %c_1 = ov.transpose %c, %[[V2]] : (tensor<1x3x4x2xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32>
  // LAST-NEXT: %d = ov.convolution %c_1, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // LAST-NEXT: %e = ov.convolution %d, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // LAST-NEXT: func.return %e : tensor<1x2x3x4xf32>
  %bias = ov.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %a = ov.convolution %x, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  %b = ov.add %a, %bias : (tensor<1x2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x4xf32>
  %c = ov.softmax %b {axis = -3 : i64} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %d = ov.convolution %c, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  %e = ov.convolution %d, %w : (tensor<1x2x3x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  func.return %e : tensor<1x2x3x4xf32>
}

// -----

// Axes that Reshape splits or joins stay together: a shuffle of channels keeps the one Transpose that it is. What tears a group apart: near miss, see above.
// CHECK-LABEL: @shuffle(
func.func @shuffle(%x: tensor<2x6x3x4xf32>) -> tensor<2x6x3x4xf32> {
  // CHECK-NEXT: %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<2x6x3x4xf32>) -> (tensor<2x6x3x4xf32>, tensor<2x6x3x4xi64>)
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<[2, 2, 3, 3, 4]> : tensor<5xi64> : tensor<5xi64>
  // CHECK-NEXT: %c = ov.reshape %a, %[[V0]] : (tensor<2x6x3x4xf32>, tensor<5xi64>) -> tensor<2x2x3x3x4xf32>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.constant dense<[0, 2, 1, 3, 4]> : tensor<5xi64> : tensor<5xi64>
  // CHECK-NEXT: %c_1 = ov.transpose %c, %[[V1]] : (tensor<2x2x3x3x4xf32>, tensor<5xi64>) -> tensor<2x3x2x3x4xf32>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ov.constant dense<[2, 6, 3, 4]> : tensor<4xi64> : tensor<4xi64>
  // CHECK-NEXT: %e = ov.reshape %c_1, %[[V2]] : (tensor<2x3x2x3x4xf32>, tensor<4xi64>) -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: %g = ov.avg_pool %e {kernel = array<i64: 1, 1>} : (tensor<2x6x3x4xf32>) -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: func.return %g : tensor<2x6x3x4xf32>
  %first = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64> : tensor<4xi64>
  %last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64> : tensor<4xi64>
  %turn = ov.constant dense<[0, 1, 2, 4, 3]> : tensor<5xi64> : tensor<5xi64>
  %apart = ov.constant dense<[0, 0, 0, 2, -1]> : tensor<5xi64> : tensor<5xi64>
  %whole = ov.constant dense<[2, 3, 4, 6]> : tensor<4xi64> : tensor<4xi64>
  %a, %n = ov.max_pool %x {kernel = array<i64: 1, 1>} : (tensor<2x6x3x4xf32>) -> (tensor<2x6x3x4xf32>, tensor<2x6x3x4xi64>)
  %b = ov.transpose %a, %last : (tensor<2x6x3x4xf32>, tensor<4xi64>) -> tensor<2x3x4x6xf32>
  %c = ov.reshape %b, %apart {special_zero = true} : (tensor<2x3x4x6xf32>, tensor<5xi64>) -> tensor<2x3x4x2x3xf32>
  %d = ov.transpose %c, %turn : (tensor<2x3x4x2x3xf32>, tensor<5xi64>) -> tensor<2x3x4x3x2xf32>
  %e = ov.reshape %d, %whole : (tensor<2x3x4x3x2xf32>, tensor<4xi64>) -> tensor<2x3x4x6xf32>
  %f = ov.transpose %e, %first : (tensor<2x3x4x6xf32>, tensor<4xi64>) -> tensor<2x6x3x4xf32>
  %g = ov.avg_pool %f {kernel = array<i64: 1, 1>} : (tensor<2x6x3x4xf32>) -> tensor<2x6x3x4xf32>
  func.return %g : tensor<2x6x3x4xf32>
}
