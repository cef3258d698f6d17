// RUN: loomir-opt %s -p ov-infer,ov-loop-to-lstm-sequence --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-infer,ov-loop-to-lstm-sequence --split-input-file --remarks --verify-diagnostics -o /dev/null

// The product with x stands before the loop, for all steps and both rows of the batch. It goes: the sequence reads x.
// CHECK-LABEL: func.func @rnn
// CHECK-NOT:   ov.loop
// CHECK-NOT:   ov.mat_mul
// CHECK:       %[[X:.*]] = ov.transpose %x
// CHECK:       ov.rnn_sequence %[[X]], {{.*}} {hidden_size = 4 : i64, direction = "forward"}
// CHECK-NOT:   ov.mat_mul
func.func @rnn(%x: tensor<5x2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<3x4xf32>, %u: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<5x2x4xf32>, tensor<2x4xf32>) {
  %shape = ov.constant dense<[2, 4]> : tensor<2xi64> : tensor<2xi64>
  %whole = ov.constant dense<[1, 2, 4]> : tensor<3xi64> : tensor<3xi64>
  %xw = ov.mat_mul %x, %w : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  // expected-remark@+1 {{ov-loop-to-lstm-sequence: done: }}
  %h_end, %all = ov.loop carried(%h) sliced(%xw) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<5x2x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %part: tensor<1x2x4xf32>):
    %p = ov.reshape %part, %shape : (tensor<1x2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %hu = ov.mat_mul %v, %u : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %s = ov.add %p, %hu : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %t = ov.add %s, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %y = ov.tanh %t : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.reshape %y, %whole : (tensor<2x4xf32>, tensor<3xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%y : tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %all, %h_end : tensor<5x2x4xf32>, tensor<2x4xf32>
}

// -----

// A GRU that reads its input backwards: gates z, r and n, of which one has no bias.
// CHECK-LABEL: func.func @gru
// CHECK-NOT:   ov.loop
// CHECK:       ov.gru_sequence {{.*}} {hidden_size = 4 : i64, direction = "reverse"}
func.func @gru(%x: tensor<5x3xf32>, %h: tensor<1x4xf32>, %w: tensor<3x12xf32>, %uz: tensor<4x4xf32>, %ur: tensor<4x4xf32>, %un: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-to-lstm-sequence: done: }}
  %h_end = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<5x3xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x3xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x3xf32>, tensor<3x12xf32>) -> tensor<1x12xf32>
    %xz, %xr, %xn = ov.split %xw, %axis {num_splits = 3 : i64} : (tensor<1x12xf32>, tensor<i64>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
    %hz = ov.mat_mul %v, %uz : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %hr = ov.mat_mul %v, %ur : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %sz = ov.add %xz, %hz : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %sr = ov.add %xr, %hr : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %tr = ov.add %sr, %b : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    %z = ov.sigmoid %sz : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.sigmoid %tr : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %rv = ov.multiply %v, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %hn = ov.mat_mul %rv, %un : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %sn = ov.add %hn, %xn : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = ov.tanh %sn : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %keep = ov.multiply %v, %z : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %new = ov.multiply %n, %rest : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = ov.add %keep, %new : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%y : tensor<1x4xf32>)
  }
  func.return %h_end : tensor<1x4xf32>
}

// -----

// 1 - z is of another gate than z: r.
// CHECK-LABEL: func.func @other_gate
// CHECK:       ov.loop
func.func @other_gate(%x: tensor<5x4xf32>, %h: tensor<1x4xf32>, %u: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  // expected-remark@+1 {{ov-loop-to-lstm-sequence: left: ov.loop: the next h is not (1 - z) ⊙ n + z ⊙ h}}
  %h_end = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %hz = ov.mat_mul %v, %u : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %z = ov.sigmoid %hz : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %hr = ov.mat_mul %p, %u : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %r = ov.sigmoid %hr : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = ov.tanh %hr : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %keep = ov.multiply %v, %z : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %rest = ov.subtract %one, %r : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %new = ov.multiply %n, %rest : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = ov.add %keep, %new : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%y : tensor<1x4xf32>)
  }
  func.return %h_end : tensor<1x4xf32>
}

// -----

// The loop slices a product along its columns: no step of x. (Its extents are those of a matrix anyway.)
// CHECK-LABEL: func.func @columns
// CHECK:       ov.loop
func.func @columns(%x: tensor<5x3xf32>, %h: tensor<5x1xf32>, %w: tensor<3x4xf32>, %u: tensor<1x1xf32>) -> tensor<5x1xf32> {
  %xw = ov.mat_mul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  // expected-remark@+1 {{ov-loop-to-lstm-sequence: left: ov.loop: }}
  %h_end = ov.loop carried(%h) sliced(%xw) {slices = [#ov.slice<axis = 1>]} : (tensor<5x1xf32>, tensor<5x4xf32>) -> tensor<5x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<5x1xf32>, %p: tensor<5x1xf32>):
    %hu = ov.mat_mul %v, %u : (tensor<5x1xf32>, tensor<1x1xf32>) -> tensor<5x1xf32>
    %s = ov.add %p, %hu : (tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>
    %y = ov.tanh %s : (tensor<5x1xf32>) -> tensor<5x1xf32>
    ov.next carried(%y : tensor<5x1xf32>)
  }
  func.return %h_end : tensor<5x1xf32>
}
