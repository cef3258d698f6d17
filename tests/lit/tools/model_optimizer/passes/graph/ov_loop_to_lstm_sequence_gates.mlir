// RUN: loomir-opt %s -p ov-loop-to-lstm-sequence,canonicalize,cse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-to-lstm-sequence --remarks --split-input-file --verify-diagnostics

// Time first, gates in another order, one product, and a bias: rows are put in order, a Transpose puts the batch first.
// CHECK-LABEL: @iofc
// CHECK-DAG: [[X:%.*]] = ov.transpose %x
// CHECK-DAG: ov.concat {{.*}} {axis = 0 : i64}
// CHECK: ov.lstm_sequence [[X]], {{.*}} {hidden_size = 4 : i64, direction = "forward"}
// CHECK-NOT: ov.loop
// CHECK: ov.transpose
func.func @iofc(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{done: ov.lstm_sequence: a loop over 5 steps became one sequence}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
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
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// Another function of a gate.
// CHECK-LABEL: @another_function
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @another_function(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: gate g is computed by ov.relu, not ov.tanh}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.relu %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// A function that is nearly the same.
// CHECK-LABEL: @hard_sigmoid
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @hard_sigmoid(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: gate f is computed by ov.h_sigmoid, not ov.sigmoid}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.h_sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// h is not o ⊙ tanh(c).
// CHECK-LABEL: @shown_otherwise
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @shown_otherwise(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: the next h is not o ⊙ tanh(c)}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.sigmoid %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// A gate that sees c.
// CHECK-LABEL: @peephole
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @peephole(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %p: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: ov.multiply is an operand of a gate}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %pc = ov.multiply %p, %c : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %seen = ov.add %gf, %pc : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %seen : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// i is what f leaves.
// CHECK-LABEL: @coupled
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @coupled(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: gate i is computed by ov.subtract, not ov.sigmoid}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %unit = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
    %left = ov.subtract %unit, %f : (tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %left, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// What goes into the gates is normalised.
// CHECK-LABEL: @normalised
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @normalised(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: ov.mvn is an operand of a gate}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %last = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
    %normal = ov.mvn %product, %last {eps = 1.0e-05 : f64, eps_mode = "inside_sqrt", normalize_variance = true} : (tensor<2x16xf32>, tensor<1xi64>) -> tensor<2x16xf32>
    %all = ov.add %normal, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
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
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// A gate is used behind the loop.
// CHECK-LABEL: @gate_outside
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @gate_outside(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: it concatenates something other than h}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
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
    %shown = ov.unsqueeze %o, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// Its last value is, too.
// CHECK-LABEL: @last_gate
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @last_gate(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: it has a last value other than h and c}}
  %hn, %cn, %l, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
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
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) last(%o : tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %l, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// What is added differs from row to row.
// CHECK-LABEL: @bias_of_rows
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @bias_of_rows(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<2x16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: an addend of a gate is not a bias}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>
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
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// c begins with one row, which the first step broadcasts.
// CHECK-LABEL: @other_initial_shape
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @other_initial_shape(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<1x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<?x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: its states and parts are not known to have the same batch}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<?x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<?x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %kept = ov.multiply %f, %c : (tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<?x4xf32>, tensor<5x2x4xf32>
}

// -----

// A gate of one column for all of c.
// CHECK-LABEL: @gate_of_one_column
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @gate_of_one_column(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: gate f has another shape than the states}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %h {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
    %gi, %go, %gf, %gg = ov.split %all, %axis {num_splits = 4 : i64} : (tensor<2x16xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    %in = ov.sigmoid %gi : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %o = ov.sigmoid %go : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = ov.sigmoid %gf : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %g = ov.tanh %gg : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %mean = ov.reduce_mean %f, %axis {keep_dims = true} : (tensor<2x4xf32>, tensor<i64>) -> tensor<2x1xf32>
    %kept = ov.multiply %mean, %c : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %fresh = ov.multiply %in, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_c = ov.add %kept, %fresh : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %th = ov.tanh %new_c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %new_h = ov.multiply %o, %th : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}

// -----

// c is multiplied, and not h.
// CHECK-LABEL: @product_of_c
// CHECK: ov.loop
// CHECK-NOT: ov.lstm_sequence
func.func @product_of_c(%x: tensor<5x2x3xf32>, %h0: tensor<2x4xf32>, %c0: tensor<2x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{left: ov.loop: a product is neither of x nor of h}}
  %hn, %cn, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%i: tensor<i64>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %part: tensor<1x2x3xf32>):
    %step = ov.squeeze %part, %zero : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    %both = ov.concat %step, %c {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %product = ov.mat_mul %both, %w : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %all = ov.add %product, %b : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
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
    %shown = ov.unsqueeze %new_h, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    ov.next carried(%new_h, %new_c : tensor<2x4xf32>, tensor<2x4xf32>) concat(%shown : tensor<1x2x4xf32>)
  }
  func.return %hn, %cn, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
}
