// RUN: loomir-opt %s -p ov-loop-to-lstm-sequence,canonicalize,cse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p 'ov-loop-to-lstm-sequence{open-batch=true},canonicalize,cse' --split-input-file | filecheck %s --check-prefix=OPEN
// RUN: loomir-opt %s -p ov-loop-to-lstm-sequence --remarks --split-input-file --verify-diagnostics

// A sequence of one step is a cell, in whatever direction: it is how exporters write one.
// CHECK-LABEL: @one_step
// CHECK: [[L:%.*]] = ov.constant dense<5> : tensor<2xi64>
// CHECK: ov.lstm_sequence {{.*}}, [[L]], %w, %r, %b {hidden_size = 4 : i64, direction = "forward"}
// CHECK-NOT: ov.loop
func.func @one_step(%x: tensor<5x2x3xf32>, %h0: tensor<2x1x4xf32>, %c0: tensor<2x1x4xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x16xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>) {
  %order = ov.constant dense<[1, 0, 2]> : tensor<3xi64> : tensor<3xi64>
  %l = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  %shape = ov.constant dense<[1, 2, 4]> : tensor<3xi64> : tensor<3xi64>
  // expected-remark@+1 {{a loop over 5 steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x1x4xf32>, %c: tensor<2x1x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.transpose %part, %order : (tensor<1x2x3xf32>, tensor<3xi64>) -> tensor<2x1x3xf32>
    %all, %new_h, %new_c = ov.lstm_sequence %step, %h, %c, %l, %w, %r, %b {hidden_size = 4 : i64, direction = "reverse"} : (tensor<2x1x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<2x1x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>)
    %shown = ov.reshape %new_h, %shape : (tensor<2x1x4xf32>, tensor<3xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x1x4xf32>, tensor<2x1x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>
}

// -----

// One of two steps is none.
// CHECK-LABEL: @two_steps
// CHECK: ov.loop
func.func @two_steps(%x: tensor<5x2x3xf32>, %h0: tensor<2x1x4xf32>, %c0: tensor<2x1x4xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x16xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>) {
  %order = ov.constant dense<[1, 0, 2]> : tensor<3xi64> : tensor<3xi64>
  %l = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  %shape = ov.constant dense<[1, 2, 4]> : tensor<3xi64> : tensor<3xi64>
  // expected-remark@+1 {{left: ov.loop: ov.lstm_sequence in the body is more than one step}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x1x4xf32>, %c: tensor<2x1x4xf32>, %part: tensor<1x2x3xf32>):
    %twice = ov.concat %part, %part {axis = 0 : i64} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<2x2x3xf32>
    %step = ov.transpose %twice, %order : (tensor<2x2x3xf32>, tensor<3xi64>) -> tensor<2x2x3xf32>
    %all, %new_h, %new_c = ov.lstm_sequence %step, %h, %c, %l, %w, %r, %b {hidden_size = 4 : i64, direction = "reverse"} : (tensor<2x2x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<2x1x2x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>)
    %shown = ov.reshape %new_h, %shape : (tensor<2x1x4xf32>, tensor<3xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x1x4xf32>, tensor<2x1x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>
}

// -----

// Nor one that has no step for a row.
// CHECK-LABEL: @perhaps_no_step
// CHECK: ov.loop
func.func @perhaps_no_step(%x: tensor<5x2x3xf32>, %h0: tensor<2x1x4xf32>, %c0: tensor<2x1x4xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x16xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>) {
  %order = ov.constant dense<[1, 0, 2]> : tensor<3xi64> : tensor<3xi64>
  %l = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %shape = ov.constant dense<[1, 2, 4]> : tensor<3xi64> : tensor<3xi64>
  // expected-remark@+1 {{left: ov.loop: ov.lstm_sequence in the body may have no step}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x1x4xf32>, %c: tensor<2x1x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.transpose %part, %order : (tensor<1x2x3xf32>, tensor<3xi64>) -> tensor<2x1x3xf32>
    %all, %new_h, %new_c = ov.lstm_sequence %step, %h, %c, %l, %w, %r, %b {hidden_size = 4 : i64, direction = "reverse"} : (tensor<2x1x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<2x1x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>)
    %shown = ov.reshape %new_h, %shape : (tensor<2x1x4xf32>, tensor<3xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x1x4xf32>, tensor<2x1x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<5x2x4xf32>
}

// -----

// As many steps as there are: each row has them all.
// CHECK-LABEL: @open_steps
// CHECK: [[SHAPE:%.*]] = ov.shape_of %x
// CHECK: [[T:%.*]] = ov.gather [[SHAPE]]
// CHECK: [[L:%.*]] = ov.broadcast [[T]]
// CHECK: ov.lstm_sequence %x, {{%.*}}, {{%.*}}, [[L]],
// CHECK-NOT: ov.loop
func.func @open_steps(%x: tensor<2x?x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<3x16xf32>, %r: tensor<4x16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{a loop over ? steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %xw = ov.mat_mul %step, %w : (tensor<2x3xf32>, tensor<3x16xf32>) -> tensor<2x16xf32>
    %hr = ov.mat_mul %h, %r : (tensor<2x4xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %xw, %hr : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x4xf32>
}

// -----

// There is a step, so the cell asks whether the batches of its operands agree.
// CHECK-LABEL: @open_batch_of_a_cell
// CHECK: ov.lstm_sequence
// CHECK-NOT: ov.loop
func.func @open_batch_of_a_cell(%x: tensor<?x5x3xf32>, %h0: tensor<?x4xf32>, %c0: tensor<?x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{a loop over 5 steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x3xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>, %c: tensor<?x4xf32>, %part: tensor<?x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<?x1x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<?x4xf32>, tensor<?x4xf32>) concat(%shown : tensor<?x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x4xf32>
}

// -----

// There may be none, and then only the sequence would ask. `open-batch` takes it that they agree.
// CHECK-LABEL: @open_batch_and_steps
// CHECK: ov.loop
// OPEN-LABEL: @open_batch_and_steps
// OPEN: ov.lstm_sequence
// OPEN-NOT: ov.loop
// OPEN: func.return
func.func @open_batch_and_steps(%x: tensor<?x?x3xf32>, %h0: tensor<?x4xf32>, %c0: tensor<?x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: the batch is dynamic, and the loop may have no step that determines it}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?x3xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>, %c: tensor<?x4xf32>, %part: tensor<?x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<?x1x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<?x4xf32>, tensor<?x4xf32>) concat(%shown : tensor<?x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>
}

// -----

// Of a sum of open extents nothing says that neither operand is broadcast.
// CHECK-LABEL: @open_batch_written_out
// CHECK: ov.loop
// OPEN-LABEL: @open_batch_written_out
// OPEN: ov.lstm_sequence
// OPEN-NOT: ov.loop
// OPEN: func.return
func.func @open_batch_written_out(%x: tensor<?x5x3xf32>, %h0: tensor<?x4xf32>, %c0: tensor<?x4xf32>, %w: tensor<3x16xf32>, %r: tensor<4x16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: its states and parts are not known to have the same batch}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x3xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>, %c: tensor<?x4xf32>, %part: tensor<?x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<?x1x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
    %xw = ov.mat_mul %step, %w : (tensor<?x3xf32>, tensor<3x16xf32>) -> tensor<?x16xf32>
    %hr = ov.mat_mul %h, %r : (tensor<?x4xf32>, tensor<4x16xf32>) -> tensor<?x16xf32>
    %all = ov.add %xw, %hr : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<?x16xf32>, tensor<i64>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
    %in = ov.sigmoid %gi : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %o = ov.sigmoid %go : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %f = ov.sigmoid %gf : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %g = ov.tanh %gg : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %kept = ov.multiply %f, %c : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %th = ov.tanh %new_c : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %shown = ov.unsqueeze %new_h, %one : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<?x4xf32>, tensor<?x4xf32>) concat(%shown : tensor<?x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5x4xf32>
}

// -----

// The last h is the final one.
// CHECK-LABEL: @last_value
// CHECK: ov.lstm_sequence
// CHECK-NOT: ov.loop
func.func @last_value(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> tensor<2x4xf32> {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{a loop over 5 steps became one sequence}}
  %hn, %cn, %last = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) last(%new_h : tensor<2x4xf32>)
  }
  func.return %last : tensor<2x4xf32>
}

// -----

// After no step the last value is zero, and the final one is what h began with.
// CHECK-LABEL: @last_value_of_open_steps
// CHECK: ov.loop
func.func @last_value_of_open_steps(%x: tensor<2x?x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> tensor<2x4xf32> {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: it has a last value, which is zero without a step}}
  %hn, %cn, %last = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) last(%new_h : tensor<2x4xf32>)
  }
  func.return %last : tensor<2x4xf32>
}
