// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-invariant-code-motion,ov-loop-whole-axis,ov-loop-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select,ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse,ov-loop-to-lstm-sequence' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// A loop that is an RNN is one, for targets that have it.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_an_rnn(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w_1 = ov.multiply %w, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %u_1 = ov.multiply %u, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 8]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<100x1x8xf32>
// CHECK-NEXT: %xw = ov.mat_mul %1, %w_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %xw, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %h_end, %all = ov.loop carried(%h) sliced(%3) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %xw_1: tensor<1x16xf32>):
// CHECK-NEXT: %hu = ov.mat_mul %v, %u_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %s = ov.add %xw_1, %hu : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %t = ov.add %s, %b : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %y = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
func.func @recurrence_is_an_rnn(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %w_8: tensor<8x16xf32>, %u_8: tensor<16x16xf32>, %b: tensor<16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %xw, %hu : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %t = ov.add %s, %b : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
    %y = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_an_rnn_near_miss(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w_1 = ov.multiply %w, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %u_1 = ov.multiply %u, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 8]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<100x1x8xf32>
// CHECK-NEXT: %xw = ov.mat_mul %1, %w_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %xw, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %h_end, %all = ov.loop carried(%h) sliced(%3) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %xw_1: tensor<1x16xf32>):
// CHECK-NEXT: %hu = ov.mat_mul %v, %u_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %s = ov.add %xw_1, %hu : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %t = ov.add %s, %b : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %f = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %y = ov.add %f, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
// The state is added to itself past the activation: no RNN does that.
func.func @recurrence_is_an_rnn_near_miss(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %w_8: tensor<8x16xf32>, %u_8: tensor<16x16xf32>, %b: tensor<16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %xw, %hu : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %t = ov.add %s, %b : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
    %f = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.add %f, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}

// -----

// A loop that is a GRU is one, for targets that have it.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_a_gru(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %wz_1 = ov.multiply %wz, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %wr_1 = ov.multiply %wr, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %wh_1 = ov.multiply %wh, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %uz_1 = ov.multiply %uz, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %ur_1 = ov.multiply %ur, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %uh_1 = ov.multiply %uh, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 8]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<100x1x8xf32>
// CHECK-NEXT: %xz = ov.mat_mul %1, %wz_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %xr = ov.mat_mul %1, %wr_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %xh = ov.mat_mul %1, %wh_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %xz, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %4 = ov.reshape %xr, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %5 = ov.reshape %xh, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %h_end, %all = ov.loop carried(%h) sliced(%3, %4, %5) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>, tensor<100x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %xz_1: tensor<1x16xf32>, %xr_1: tensor<1x16xf32>, %xh_1: tensor<1x16xf32>):
// CHECK-NEXT: %hz = ov.mat_mul %v, %uz_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hr = ov.mat_mul %v, %ur_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sz = ov.add %xz_1, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sr = ov.add %xr_1, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %z = ov.sigmoid %sz : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hh = ov.mat_mul %rv, %uh_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sh = ov.add %xh_1, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %keep = ov.multiply %z, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %new = ov.multiply %rest, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %y = ov.add %new, %keep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
func.func @recurrence_is_a_gru(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %wz_8: tensor<8x16xf32>, %wr_8: tensor<8x16xf32>, %wh_8: tensor<8x16xf32>, %uz_8: tensor<16x16xf32>, %ur_8: tensor<16x16xf32>, %uh_8: tensor<16x16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %wz = ov.multiply %wz_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wr = ov.multiply %wr_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wh = ov.multiply %wh_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %uz = ov.multiply %uz_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %ur = ov.multiply %ur_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %uh = ov.multiply %uh_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xz = ov.mat_mul %p, %wz : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xr = ov.mat_mul %p, %wr : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xh = ov.mat_mul %p, %wh : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hz = ov.mat_mul %v, %uz : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %hr = ov.mat_mul %v, %ur : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sz = ov.add %xz, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %sr = ov.add %xr, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %z = ov.sigmoid %sz : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %hh = ov.mat_mul %rv, %uh : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sh = ov.add %xh, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %keep = ov.multiply %z, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %rest, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.add %new, %keep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_a_gru_near_miss(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %wz_1 = ov.multiply %wz, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %wr_1 = ov.multiply %wr, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %wh_1 = ov.multiply %wh, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %uz_1 = ov.multiply %uz, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %ur_1 = ov.multiply %ur, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %uh_1 = ov.multiply %uh, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 8]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<100x1x8xf32>
// CHECK-NEXT: %xz = ov.mat_mul %1, %wz_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %xr = ov.mat_mul %1, %wr_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %xh = ov.mat_mul %1, %wh_1 : (tensor<100x1x8xf32>, tensor<8x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %xr, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %4 = ov.reshape %xh, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %5 = ov.reshape %xz, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %h_end, %all = ov.loop carried(%h) sliced(%3, %4, %5) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>, tensor<100x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %xr_1: tensor<1x16xf32>, %xh_1: tensor<1x16xf32>, %xz_1: tensor<1x16xf32>):
// CHECK-NEXT: %hr = ov.mat_mul %v, %ur_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sr = ov.add %xr_1, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hh = ov.mat_mul %rv, %uh_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sh = ov.add %xh_1, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hz = ov.mat_mul %c, %uz_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sz = ov.add %xz_1, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %z = ov.sigmoid %sz : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %keep = ov.multiply %z, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %new = ov.multiply %rest, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %y = ov.add %new, %keep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
// The update gate reads the candidate: no GRU has that.
func.func @recurrence_is_a_gru_near_miss(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %wz_8: tensor<8x16xf32>, %wr_8: tensor<8x16xf32>, %wh_8: tensor<8x16xf32>, %uz_8: tensor<16x16xf32>, %ur_8: tensor<16x16xf32>, %uh_8: tensor<16x16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %wz = ov.multiply %wz_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wr = ov.multiply %wr_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wh = ov.multiply %wh_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %uz = ov.multiply %uz_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %ur = ov.multiply %ur_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %uh = ov.multiply %uh_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xz = ov.mat_mul %p, %wz : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xr = ov.mat_mul %p, %wr : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xh = ov.mat_mul %p, %wh : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hr = ov.mat_mul %v, %ur : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sr = ov.add %xr, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %hh = ov.mat_mul %rv, %uh : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sh = ov.add %xh, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %hz = ov.mat_mul %c, %uz : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sz = ov.add %xz, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %z = ov.sigmoid %sz : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %keep = ov.multiply %z, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %rest, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.add %new, %keep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}

// -----

// A loop that is an LSTM is one, for targets that have it.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_an_lstm(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w_1 = ov.multiply %w, %eighth : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
// CHECK-NEXT: %u_1 = ov.multiply %u, %eighth : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %one = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %two = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %three = ov.constant dense<48> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %four = ov.constant dense<64> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %step = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 8]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<100x1x8xf32>
// CHECK-NEXT: %xw = ov.mat_mul %1, %w_1 : (tensor<100x1x8xf32>, tensor<8x64xf32>) -> tensor<100x1x64xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 64]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %xw, %2 : (tensor<100x1x64xf32>, tensor<2xi64>) -> tensor<100x64xf32>
// CHECK-NEXT: %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%3) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x64xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %xw_1: tensor<1x64xf32>):
// CHECK-NEXT: %hu = ov.mat_mul %v, %u_1 : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT: %gates = ov.add %xw_1, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT: %gi = ov.slice %gates, %zero, %one, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %gf = ov.slice %gates, %one, %two, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %gc = ov.slice %gates, %two, %three, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %go = ov.slice %gates, %three, %four, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %si = ov.sigmoid %gi : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sf = ov.sigmoid %gf : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %tc = ov.tanh %gc : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %so = ov.sigmoid %go : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %kept = ov.multiply %sf, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %new = ov.multiply %si, %tc : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %cell = ov.add %kept, %new : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %out = ov.tanh %cell : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %y = ov.multiply %so, %out : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%y, %cell : tensor<1x16xf32>, tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %h_end, %s_end : tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
func.func @recurrence_is_an_lstm(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %s: tensor<1x16xf32>, %w_8: tensor<8x64xf32>, %u_8: tensor<16x64xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
  %zero = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<[16]> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<[32]> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<[48]> : tensor<1xi64> : tensor<1xi64>
  %four = ov.constant dense<[64]> : tensor<1xi64> : tensor<1xi64>
  %step = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x64xf32>) -> tensor<1x64xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
    %gates = ov.add %xw, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %gi = ov.slice %gates, %zero, %one, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gf = ov.slice %gates, %one, %two, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gc = ov.slice %gates, %two, %three, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %go = ov.slice %gates, %three, %four, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %si = ov.sigmoid %gi : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %sf = ov.sigmoid %gf : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %tc = ov.tanh %gc : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %so = ov.sigmoid %go : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %kept = ov.multiply %sf, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %si, %tc : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %cell = ov.add %kept, %new : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %out = ov.tanh %cell : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.multiply %so, %out : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y, %cell : tensor<1x16xf32>, tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end, %s_end : tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_an_lstm_near_miss(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w_1 = ov.multiply %w, %eighth : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
// CHECK-NEXT: %u_1 = ov.multiply %u, %eighth : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
// CHECK-NEXT: %o_1 = ov.multiply %o, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %one = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %two = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %three = ov.constant dense<48> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %four = ov.constant dense<64> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %step = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 8]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<100x1x8xf32>
// CHECK-NEXT: %xw = ov.mat_mul %1, %w_1 : (tensor<100x1x8xf32>, tensor<8x64xf32>) -> tensor<100x1x64xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 64]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %xw, %2 : (tensor<100x1x64xf32>, tensor<2xi64>) -> tensor<100x64xf32>
// CHECK-NEXT: %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%3) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x64xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %xw_1: tensor<1x64xf32>):
// CHECK-NEXT: %hu = ov.mat_mul %v, %u_1 : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT: %gates = ov.add %xw_1, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT: %gi = ov.slice %gates, %zero, %one, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %gf = ov.slice %gates, %one, %two, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %gc = ov.slice %gates, %two, %three, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %go = ov.slice %gates, %three, %four, %step, %step : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %si = ov.sigmoid %gi : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sf = ov.sigmoid %gf : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %tc = ov.tanh %gc : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %kept = ov.multiply %sf, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %new = ov.multiply %si, %tc : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %cell = ov.add %kept, %new : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %peep = ov.mat_mul %cell, %o_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %g = ov.add %go, %peep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %so = ov.sigmoid %g : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %out = ov.tanh %cell : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %y = ov.multiply %so, %out : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%y, %cell : tensor<1x16xf32>, tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %h_end, %s_end : tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
// The output gate of a trip reads the new cell through a matrix: no LSTM has that.
func.func @recurrence_is_an_lstm_near_miss(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %s: tensor<1x16xf32>, %w_8: tensor<8x64xf32>, %u_8: tensor<16x64xf32>, %o_8: tensor<16x16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
  %o = ov.multiply %o_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %zero = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<[16]> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<[32]> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<[48]> : tensor<1xi64> : tensor<1xi64>
  %four = ov.constant dense<[64]> : tensor<1xi64> : tensor<1xi64>
  %step = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x64xf32>) -> tensor<1x64xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
    %gates = ov.add %xw, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %gi = ov.slice %gates, %zero, %one, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gf = ov.slice %gates, %one, %two, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gc = ov.slice %gates, %two, %three, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %go = ov.slice %gates, %three, %four, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %si = ov.sigmoid %gi : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %sf = ov.sigmoid %gf : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %tc = ov.tanh %gc : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %kept = ov.multiply %sf, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %si, %tc : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %cell = ov.add %kept, %new : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %peep = ov.mat_mul %cell, %o : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %g = ov.add %go, %peep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %so = ov.sigmoid %g : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %out = ov.tanh %cell : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.multiply %so, %out : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y, %cell : tensor<1x16xf32>, tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end, %s_end : tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
}
