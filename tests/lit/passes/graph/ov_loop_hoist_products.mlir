// RUN: loomir-opt %s -p 'ov-infer,ov-loop-hoist-products{machine=x86-64-v3},canonicalize' | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-infer,ov-loop-hoist-products{machine=x86-64-v3}' 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt --remarks %s -p 'ov-infer,ov-loop-hoist-products{machine=x86-64-v3 budget=1000}' 2>&1 >/dev/null | filecheck %s --check-prefix=BUDGET
// RUN: loomir-opt %s -p 'ov-infer,ov-loop-hoist-products' | filecheck %s --check-prefix=GENERIC
// RUN: not loomir-opt %s -p 'ov-loop-hoist-products{rows=1}' 2>&1 | filecheck %s --check-prefix=OPTION

// OPTION: ov-loop-hoist-products: rows=1 must be at least 2 [bad-option]

// REMARK: ov-loop-hoist-products: done: ov.loop: computes 1 products for 8 of 1000 iterations at once
// BUDGET: ov-loop-hoist-products: left: ov.loop: 1024 bytes are more than 1000

// GENERIC-LABEL: func.func @sequence
// GENERIC: ov.loop carried
// GENERIC: ov.mat_mul
// GENERIC: ov.mat_mul

// CHECK-LABEL: func.func @sequence
// CHECK: ov.loop trip({{.*}}) carried(%h) sliced(%x) {slices = [#ov.slice<axis = 1, end = 1000, stride = 8, part_size = 8>], concats = [#ov.slice<axis = 1, stride = 8, part_size = 8>]}
// CHECK: ^bb0({{.*}}: tensor<i64>, [[H:%.*]]: tensor<1x128xf32>, [[ROWS:%.*]]: tensor<1x8x64xf32>):
// CHECK: [[MATRIX:%.*]] = ov.reshape [[ROWS]], {{.*}} -> tensor<8x64xf32>
// CHECK: [[ALL:%.*]] = ov.mat_mul [[MATRIX]], %w {transpose_b = true} : {{.*}} -> tensor<8x128xf32>
// CHECK: [[PARTS:%.*]] = ov.reshape [[ALL]], {{.*}} -> tensor<1x8x128xf32>
// CHECK: ov.loop trip({{.*}}) carried([[H]]) sliced([[PARTS]]) {{.*}} -> (tensor<1x128xf32>, tensor<1x8x128xf32>) {
// CHECK: ^bb0({{.*}}: tensor<1x128xf32>, [[PART:%.*]]: tensor<1x1x128xf32>):
// CHECK: [[XW:%.*]] = ov.reshape [[PART]], {{.*}} -> tensor<1x128xf32>
// CHECK: [[HR:%.*]] = ov.mat_mul
// CHECK: ov.add [[XW]], [[HR]]
func.func @sequence(%x: tensor<1x1000x64xf32>, %h: tensor<1x128xf32>, %w: tensor<128x64xf32>, %r: tensor<128x128xf32>) -> (tensor<1x128xf32>, tensor<1x1000x128xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %last, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<1x128xf32>, tensor<1x1000x64xf32>) -> (tensor<1x128xf32>, tensor<1x1000x128xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %part: tensor<1x1x64xf32>):
    %row = ov.squeeze %part, %one : (tensor<1x1x64xf32>, tensor<1xi64>) -> tensor<1x64xf32>
    %xw = ov.mat_mul %row, %w {transpose_b = true} : (tensor<1x64xf32>, tensor<128x64xf32>) -> tensor<1x128xf32>
    %hr = ov.mat_mul %v, %r : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %s = ov.add %xw, %hr : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %shown = ov.unsqueeze %s, %one : (tensor<1x128xf32>, tensor<1xi64>) -> tensor<1x1x128xf32>
    ov.next carried(%s : tensor<1x128xf32>) concat(%shown : tensor<1x1x128xf32>)
  }
  func.return %last, %all : tensor<1x128xf32>, tensor<1x1000x128xf32>
}

// Backwards: blocks are read from behind, and so are the iterations of each. No number of at least 4 divides 38: what is left over
// is a loop of its own.
// REMARK: ov-loop-hoist-products: done: ov.loop: computes 1 products for 16 of 38 iterations at once

// CHECK-LABEL: func.func @backwards
// CHECK: slices = [#ov.slice<axis = 0, start = 38, end = 6, stride = -16, part_size = 16>]
// CHECK: ov.mat_mul %{{.*}}, %w : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
// CHECK: slices = [#ov.slice<axis = 0, start = 6, end = 0, stride = -1>]
// CHECK: ov.mat_mul %{{.*}}, %w : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
func.func @backwards(%x: tensor<38x64xf32>, %h: tensor<1x32xf32>, %w: tensor<64x32xf32>) -> tensor<1x32xf32> {
  %last = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x32xf32>, tensor<38x64xf32>) -> (tensor<1x32xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x32xf32>, %row: tensor<1x64xf32>):
    %xw = ov.mat_mul %row, %w : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
    %s = ov.subtract %xw, %v : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    ov.next carried(%s : tensor<1x32xf32>)
  }
  func.return %last : tensor<1x32xf32>
}

// Few iterations are one block: their products stand before the loop. The weights are the left operand of a column.
// REMARK: ov-loop-hoist-products: done: ov.loop: computes 1 products for 6 of 6 iterations at once

// CHECK-LABEL: func.func @short
// CHECK: [[SOME:%.*]] = ov.slice %x
// CHECK: [[ALL:%.*]] = ov.mat_mul [[SOME]], %w {transpose_b = true} : (tensor<6x64xf32>, tensor<32x64xf32>) -> tensor<6x32xf32>
// CHECK: ov.loop {{.*}} sliced([[ALL]]) {slices = [#ov.slice<axis = 0>]
// CHECK-NOT: ov.mat_mul
func.func @short(%x: tensor<9x64xf32>, %h: tensor<32x1xf32>, %w: tensor<32x64xf32>) -> tensor<32x1xf32> {
  %column = ov.constant dense<[64, 1]> : tensor<2xi64> : tensor<2xi64>
  %last = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0, start = 2, end = 8>]} : (tensor<32x1xf32>, tensor<9x64xf32>) -> (tensor<32x1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<32x1xf32>, %row: tensor<1x64xf32>):
    %c = ov.reshape %row, %column : (tensor<1x64xf32>, tensor<2xi64>) -> tensor<64x1xf32>
    %wx = ov.mat_mul %w, %c : (tensor<32x64xf32>, tensor<64x1xf32>) -> tensor<32x1xf32>
    %s = ov.subtract %wx, %v : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    ov.next carried(%s : tensor<32x1xf32>)
  }
  func.return %last : tensor<32x1xf32>
}

// REMARK: ov-loop-hoist-products: left: ov.loop: a condition may end it early

// CHECK-LABEL: func.func @may_end_early
// CHECK: ov.loop
// CHECK-NOT: ov.loop
func.func @may_end_early(%x: tensor<19x64xf32>, %h: tensor<1x32xf32>, %w: tensor<64x32xf32>, %c: tensor<i1>) -> tensor<1x32xf32> {
  %last = ov.loop while(%c) carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<1x32xf32>, tensor<19x64xf32>) -> (tensor<1x32xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x32xf32>, %row: tensor<1x64xf32>):
    %xw = ov.mat_mul %row, %w : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
    %s = ov.subtract %xw, %v : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    ov.next carried(%s : tensor<1x32xf32>)
  }
  func.return %last : tensor<1x32xf32>
}

// A batch of four is a tile in each iteration already.
// CHECK-LABEL: func.func @batch
// CHECK: ov.loop
// CHECK-NOT: ov.loop
func.func @batch(%x: tensor<4x19x64xf32>, %h: tensor<4x1x32xf32>, %w: tensor<64x32xf32>) -> tensor<4x1x32xf32> {
  %last = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 1>]} : (tensor<4x1x32xf32>, tensor<4x19x64xf32>) -> (tensor<4x1x32xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4x1x32xf32>, %row: tensor<4x1x64xf32>):
    %xw = ov.mat_mul %row, %w : (tensor<4x1x64xf32>, tensor<64x32xf32>) -> tensor<4x1x32xf32>
    %s = ov.subtract %xw, %v : (tensor<4x1x32xf32>, tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
    ov.next carried(%s : tensor<4x1x32xf32>)
  }
  func.return %last : tensor<4x1x32xf32>
}
