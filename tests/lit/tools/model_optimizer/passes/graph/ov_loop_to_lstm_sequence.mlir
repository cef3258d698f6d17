// RUN: loomir-opt %s -p ov-loop-to-lstm-sequence,canonicalize,cse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-to-lstm-sequence --remarks --split-input-file --verify-diagnostics

// A cell for each step; its loop is cut and joined on the second axis.
// CHECK-LABEL: @cell
// CHECK-DAG: [[L:%.*]] = ov.constant dense<5> : tensor<2xi64>
// CHECK-DAG: [[H:%.*]] = ov.unsqueeze %h0
// CHECK: [[Y:%.*]], [[HN:%.*]], [[CN:%.*]] = ov.lstm_sequence %x, [[H]], {{.*}}, [[L]], {{.*}} {hidden_size = 4 : i64, direction = "forward"}
// CHECK-NOT: ov.loop
// CHECK-DAG: ov.squeeze [[HN]]
// CHECK-DAG: ov.squeeze [[CN]]
// CHECK-DAG: ov.squeeze [[Y]]
func.func @cell(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{done: ov.lstm_sequence: a loop over 5 steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// The last step first, the states in the other order, and attributes of the cell.
// CHECK-LABEL: @backwards
// CHECK: ov.lstm_sequence {{.*}} {hidden_size = 4 : i64, clip = 3.000000e+00 : f64, activations = ["relu", "tanh", "tanh"], direction = "reverse"}
// CHECK-NOT: ov.loop
func.func @backwards(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{a loop over 5 steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64, clip = 3.0 : f64, activations = ["relu", "tanh", "tanh"]} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// What is joined from the first step on though the last one is read first is turned round.
// CHECK-LABEL: @joined_the_other_way
// CHECK: [[Y:%[^,]*]], {{.*}} = ov.lstm_sequence {{.*}} {hidden_size = 4 : i64, direction = "reverse"}
// CHECK: ov.reverse [[Y]]
func.func @joined_the_other_way(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{a loop over 5 steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// Not all steps.
// CHECK-LABEL: @part_of_the_axis
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @part_of_the_axis(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: it does not iterate over its whole input}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1, start = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>
}

// -----

// Two steps are a part, of which the cell takes the first.
// CHECK-LABEL: @two_steps_in_a_part
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @two_steps_in_a_part(%x: tensor<2x10x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: a part has 2 steps}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1, stride = 2, part_size = 2>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x10x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x2x3xf32>):
    %first = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %which = ov.constant dense<1> : tensor<i64> : tensor<i64>
    %step = ov.gather %part, %first, %which : (tensor<2x2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// Fewer trips than steps.
// CHECK-LABEL: @fewer_trips
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @fewer_trips(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: its trip count is not known to be the extent of its input}}
  %hn, %cn, %y = ov.loop trip(%n) carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>
}

// -----

// The cell's h may end the loop.
// CHECK-LABEL: @may_end
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @may_end(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: a condition may end it early}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %big = ov.less %new_h, %new_c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %both = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
    %more = ov.reduce_logical_and %big, %both {keep_dims = false} : (tensor<2x4xi1>, tensor<2xi64>) -> tensor<i1>
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next while(%more) carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x?x4xf32>
}

// -----

// Two cells for each step.
// CHECK-LABEL: @two_cells
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @two_cells(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: ov.lstm_cell reads other states than those before}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %next_h, %next_c = ov.lstm_cell %step, %new_h, %new_c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%next_h, %next_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// What was c is h next.
// CHECK-LABEL: @states_exchanged
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @states_exchanged(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: ov.lstm_cell reads other states than those before}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_c, %new_h : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// A sequence gives no c of each step.
// CHECK-LABEL: @joins_c
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @joins_c(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: it concatenates something other than h}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_c, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// Nor anything that is computed in the body besides.
// CHECK-LABEL: @joins_the_part
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @joins_the_part(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: it concatenates something other than h}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %twice = ov.add %new_h, %new_h : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %twice, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// The cell reads more of the part than the part.
// CHECK-LABEL: @another_x
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @another_x(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: ov.lstm_cell reads something other than the part}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %flat = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %step = ov.tanh %flat : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// Weights that change with the step.
// CHECK-LABEL: @weights_of_the_body
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @weights_of_the_body(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: weights are computed in the body}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %k = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %wk = ov.multiply %w, %k : (tensor<16x3xf32>, tensor<f32>) -> tensor<16x3xf32>
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %wk, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// A state that is kept from a step on which is another one for each row is one of sequence lengths; not one of a state that becomes zero.
// CHECK-LABEL: @stays_zero
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @stays_zero(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: a kept state is not the previous one}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %lengths = ov.constant dense<[3, 4]> : tensor<2xi64> : tensor<2xi64>
    %less = ov.less %i, %lengths : (tensor<i64>, tensor<2xi64>) -> tensor<2xi1>
    %valid = ov.unsqueeze %less, %one : (tensor<2xi1>, tensor<1xi64>) -> tensor<2x1xi1>
    %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
    %kept_h = ov.select %valid, %new_h, %zero : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %kept_c = ov.select %valid, %new_c, %c : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%kept_h, %kept_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}

// -----

// Where more than the length must be left, it is no sequence length either.
// CHECK-LABEL: @kept_by_another_condition
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @kept_by_another_condition(%x: tensor<2x5x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: its condition for keeping states is not that of sequence lengths}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
    %step = ov.squeeze %part, %one : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %new_h, %new_c = ov.lstm_cell %step, %h, %c, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %lengths = ov.constant dense<[3, 4]> : tensor<2xi64> : tensor<2xi64>
    %twice = ov.add %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %less = ov.less %twice, %lengths : (tensor<i64>, tensor<2xi64>) -> tensor<2xi1>
    %valid = ov.unsqueeze %less, %one : (tensor<2xi1>, tensor<1xi64>) -> tensor<2x1xi1>
    %kept_h = ov.select %valid, %new_h, %h : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept_c = ov.select %valid, %new_c, %c : (tensor<2x1xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.next carried(%kept_h, %kept_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5x4xf32>
}
