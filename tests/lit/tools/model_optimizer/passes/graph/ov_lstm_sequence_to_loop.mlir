// RUN: loomir-opt %s -p 'ov-lstm-sequence-to-loop,cse' | filecheck %s
// RUN: loomir-opt %s -p ov-lstm-sequence-to-loop --remarks --split-input-file --verify-diagnostics

// The lengths are known to be the whole axis: nothing asks for them. Directions are one dimension less in the loop.
// CHECK-LABEL: @forward
// CHECK-DAG: [[W:%.*]] = ov.squeeze %w
// CHECK-DAG: [[H:%.*]] = ov.squeeze %h
// CHECK-DAG: [[C:%.*]] = ov.squeeze %c
// CHECK: [[HN:%.*]], [[CN:%.*]], [[ALL:%.*]] = ov.loop carried([[H]], [[C]]) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]}
// CHECK: ^bb0(%{{.*}}: tensor<i64>, [[OLD:%.*]]: tensor<2x4xf32>, [[CELL:%.*]]: tensor<2x4xf32>, [[PART:%.*]]: tensor<2x1x3xf32>):
// CHECK: [[X:%.*]] = ov.squeeze [[PART]]
// CHECK: [[H1:%.*]], [[C1:%.*]] = ov.lstm_cell [[X]], [[OLD]], [[CELL]], [[W]], {{.*}} {hidden_size = 4 : i64}
// CHECK-NOT: ov.select
// CHECK: [[SHOWN:%.*]] = ov.unsqueeze [[H1]]
// CHECK: ov.next carried([[H1]], [[C1]] : {{.*}}) concat([[SHOWN]] :
// CHECK: %y = ov.unsqueeze [[ALL]]
func.func @forward(%x: tensor<2x5x3xf32>, %h: tensor<2x1x4xf32>, %c: tensor<2x1x4xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x16xf32>) -> (tensor<2x1x5x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) {
  %l = ov.constant dense<5> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{ov-lstm-sequence-to-loop: done: ov.loop: a sequence became a loop of cells, forwards}}
  %y, %hn, %cn = ov.lstm_sequence %x, %h, %c, %l, %w, %r, %b {direction = "forward", hidden_size = 4 : i64} : (tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<2x1x5x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>)
  func.return %y, %hn, %cn : tensor<2x1x5x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>
}

// -----

// Both directions are a loop each, with the functions of their own; lengths that are not known are asked in each iteration.
// CHECK-LABEL: @bidirectional
// CHECK: ov.loop {{.*}}sliced(%x) {slices = [#ov.slice<axis = 1>],
// CHECK: ov.gru_cell {{.*}} {hidden_size = 4 : i64, linear_before_reset = true, activations = ["sigmoid", "tanh"]}
// CHECK: [[VALID:%.*]] = ov.less
// CHECK: ov.select
// CHECK: ov.loop {{.*}}sliced(%x) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>],
// CHECK: ov.gru_cell {{.*}} {hidden_size = 4 : i64, linear_before_reset = true, activations = ["hardsigmoid", "relu"], activations_alpha = array<f64: 3.000000e-01>, activations_beta = array<f64: 4.000000e-01>}
// CHECK: [[PLACE:%.*]] = ov.subtract
// CHECK: ov.less [[PLACE]],
// CHECK: %y = ov.concat
func.func @bidirectional(%x: tensor<2x5x3xf32>, %h: tensor<2x2x4xf32>, %l: tensor<2xi32>, %w: tensor<2x12x3xf32>, %r: tensor<2x12x4xf32>, %b: tensor<2x16xf32>) -> tensor<2x2x5x4xf32> {
  // expected-remark@+2 {{a sequence became a loop of cells, forwards}}
  // expected-remark@+1 {{a sequence became a loop of cells, backwards}}
  %y, %hn = ov.gru_sequence %x, %h, %l, %w, %r, %b {direction = "bidirectional", hidden_size = 4 : i64, linear_before_reset = true, activations = ["sigmoid", "tanh", "hardsigmoid", "relu"], activations_alpha = array<f64: 0.3>, activations_beta = array<f64: 0.4>} : (tensor<2x5x3xf32>, tensor<2x2x4xf32>, tensor<2xi32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>, tensor<2x16xf32>) -> (tensor<2x2x5x4xf32>, tensor<2x2x4xf32>)
  func.return %y : tensor<2x2x5x4xf32>
}

// -----

// A cell outside of any sequence is none.
// CHECK-LABEL: @cell
// CHECK-NOT: ov.loop
// CHECK: ov.rnn_cell
func.func @cell(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
