// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse,ov-loop-to-lstm-sequence' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// A loop that is an RNN is one, for targets that have it.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_is_an_rnn(
// CHECK-NEXT: %eighth = ov.constant dense<1.250000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w_1 = ov.multiply %w, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK-NEXT: %u_1 = ov.multiply %u, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.unsqueeze %x, %0 : (tensor<100x8xf32>, tensor<1xi64>) -> tensor<1x100x8xf32>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.squeeze %h, %2 : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %4 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %5 = ov.unsqueeze %3, %4 : (tensor<16xf32>, tensor<2xi64>) -> tensor<1x1x16xf32>
// CHECK-NEXT: %6 = ov.constant dense<100> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %7 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %8 = ov.transpose %w_1, %7 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %9 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %10 = ov.transpose %u_1, %9 : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %11 = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %12 = ov.reshape %b, %11 : (tensor<16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %13 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %14 = ov.unsqueeze %8, %13 : (tensor<16x8xf32>, tensor<1xi64>) -> tensor<1x16x8xf32>
// CHECK-NEXT: %15 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %16 = ov.unsqueeze %10, %15 : (tensor<16x16xf32>, tensor<1xi64>) -> tensor<1x16x16xf32>
// CHECK-NEXT: %17 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %18 = ov.unsqueeze %12, %17 : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %19, %20 = ov.rnn_sequence %1, %5, %6, %14, %16, %18 {hidden_size = 16 : i64, direction = "forward"} : (tensor<1x100x8xf32>, tensor<1x1x16xf32>, tensor<1xi64>, tensor<1x16x8xf32>, tensor<1x16x16xf32>, tensor<1x16xf32>) -> (tensor<1x1x100x16xf32>, tensor<1x1x16xf32>)
// CHECK-NEXT: %21 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %22 = ov.squeeze %20, %21 : (tensor<1x1x16xf32>, tensor<2xi64>) -> tensor<16xf32>
// CHECK-NEXT: %23 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %h_end = ov.unsqueeze %22, %23 : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %24 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %all = ov.squeeze %19, %24 : (tensor<1x1x100x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
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
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.unsqueeze %x, %0 : (tensor<100x8xf32>, tensor<1xi64>) -> tensor<1x100x8xf32>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.squeeze %h, %2 : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %4 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %5 = ov.unsqueeze %3, %4 : (tensor<16xf32>, tensor<2xi64>) -> tensor<1x1x16xf32>
// CHECK-NEXT: %6 = ov.constant dense<100> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %7 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %8 = ov.transpose %wz_1, %7 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %9 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %10 = ov.transpose %wr_1, %9 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %11 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %12 = ov.transpose %wh_1, %11 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %13 = ov.concat %8, %10, %12 {axis = 0 : i64} : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<48x8xf32>
// CHECK-NEXT: %14 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %15 = ov.transpose %uz_1, %14 : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %16 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %17 = ov.transpose %ur_1, %16 : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %18 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %19 = ov.transpose %uh_1, %18 : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %20 = ov.concat %15, %17, %19 {axis = 0 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<48x16xf32>
// CHECK-NEXT: %21 = ov.constant dense<0.000000e+00> : tensor<48xf32> : tensor<48xf32>
// CHECK-NEXT: %22 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %23 = ov.unsqueeze %13, %22 : (tensor<48x8xf32>, tensor<1xi64>) -> tensor<1x48x8xf32>
// CHECK-NEXT: %24 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %25 = ov.unsqueeze %20, %24 : (tensor<48x16xf32>, tensor<1xi64>) -> tensor<1x48x16xf32>
// CHECK-NEXT: %26 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %27 = ov.unsqueeze %21, %26 : (tensor<48xf32>, tensor<1xi64>) -> tensor<1x48xf32>
// CHECK-NEXT: %28, %29 = ov.gru_sequence %1, %5, %6, %23, %25, %27 {hidden_size = 16 : i64, direction = "forward"} : (tensor<1x100x8xf32>, tensor<1x1x16xf32>, tensor<1xi64>, tensor<1x48x8xf32>, tensor<1x48x16xf32>, tensor<1x48xf32>) -> (tensor<1x1x100x16xf32>, tensor<1x1x16xf32>)
// CHECK-NEXT: %30 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %31 = ov.squeeze %29, %30 : (tensor<1x1x16xf32>, tensor<2xi64>) -> tensor<16xf32>
// CHECK-NEXT: %32 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %h_end = ov.unsqueeze %31, %32 : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %33 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %all = ov.squeeze %28, %33 : (tensor<1x1x100x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
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
// CHECK-NEXT: %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
// CHECK-NEXT: %xz = ov.mat_mul %p, %wz_1 : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %xr = ov.mat_mul %p, %wr_1 : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %xh = ov.mat_mul %p, %wh_1 : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hr = ov.mat_mul %v, %ur_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sr = ov.add %xr, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hh = ov.mat_mul %rv, %uh_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sh = ov.add %xh, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %hz = ov.mat_mul %c, %uz_1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %sz = ov.add %xz, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
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
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.unsqueeze %x, %0 : (tensor<100x8xf32>, tensor<1xi64>) -> tensor<1x100x8xf32>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.squeeze %h, %2 : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %4 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %5 = ov.unsqueeze %3, %4 : (tensor<16xf32>, tensor<2xi64>) -> tensor<1x1x16xf32>
// CHECK-NEXT: %6 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %7 = ov.squeeze %s, %6 : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %8 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %9 = ov.unsqueeze %7, %8 : (tensor<16xf32>, tensor<2xi64>) -> tensor<1x1x16xf32>
// CHECK-NEXT: %10 = ov.constant dense<100> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %11 = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %12 = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %13 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %14 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %15 = ov.slice %w_1, %11, %12, %13, %14 : (tensor<8x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8x16xf32>
// CHECK-NEXT: %16 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %17 = ov.transpose %15, %16 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %18 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %19 = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %20 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %21 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %22 = ov.slice %w_1, %18, %19, %20, %21 : (tensor<8x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8x16xf32>
// CHECK-NEXT: %23 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %24 = ov.transpose %22, %23 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %25 = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %26 = ov.constant dense<64> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %27 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %28 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %29 = ov.slice %w_1, %25, %26, %27, %28 : (tensor<8x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8x32xf32>
// CHECK-NEXT: %30 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %31 = ov.transpose %29, %30 : (tensor<8x32xf32>, tensor<2xi64>) -> tensor<32x8xf32>
// CHECK-NEXT: %32 = ov.concat %17, %24, %31 {axis = 0 : i64} : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
// CHECK-NEXT: %33 = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %34 = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %35 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %36 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %37 = ov.slice %u_1, %33, %34, %35, %36 : (tensor<16x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %38 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %39 = ov.transpose %37, %38 : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %40 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %41 = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %42 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %43 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %44 = ov.slice %u_1, %40, %41, %42, %43 : (tensor<16x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %45 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %46 = ov.transpose %44, %45 : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<16x16xf32>
// CHECK-NEXT: %47 = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %48 = ov.constant dense<64> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %49 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %50 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %51 = ov.slice %u_1, %47, %48, %49, %50 : (tensor<16x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<16x32xf32>
// CHECK-NEXT: %52 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %53 = ov.transpose %51, %52 : (tensor<16x32xf32>, tensor<2xi64>) -> tensor<32x16xf32>
// CHECK-NEXT: %54 = ov.concat %39, %46, %53 {axis = 0 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
// CHECK-NEXT: %55 = ov.constant dense<0.000000e+00> : tensor<64xf32> : tensor<64xf32>
// CHECK-NEXT: %56 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %57 = ov.unsqueeze %32, %56 : (tensor<64x8xf32>, tensor<1xi64>) -> tensor<1x64x8xf32>
// CHECK-NEXT: %58 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %59 = ov.unsqueeze %54, %58 : (tensor<64x16xf32>, tensor<1xi64>) -> tensor<1x64x16xf32>
// CHECK-NEXT: %60 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %61 = ov.unsqueeze %55, %60 : (tensor<64xf32>, tensor<1xi64>) -> tensor<1x64xf32>
// CHECK-NEXT: %62, %63, %64 = ov.lstm_sequence %1, %5, %9, %10, %57, %59, %61 {hidden_size = 16 : i64, direction = "forward"} : (tensor<1x100x8xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi64>, tensor<1x64x8xf32>, tensor<1x64x16xf32>, tensor<1x64xf32>) -> (tensor<1x1x100x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>)
// CHECK-NEXT: %65 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %66 = ov.squeeze %63, %65 : (tensor<1x1x16xf32>, tensor<2xi64>) -> tensor<16xf32>
// CHECK-NEXT: %67 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %h_end = ov.unsqueeze %66, %67 : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %68 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %69 = ov.squeeze %64, %68 : (tensor<1x1x16xf32>, tensor<2xi64>) -> tensor<16xf32>
// CHECK-NEXT: %70 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %s_end = ov.unsqueeze %69, %70 : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %71 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %all = ov.squeeze %62, %71 : (tensor<1x1x100x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
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
// CHECK-NEXT: %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %p: tensor<1x8xf32>):
// CHECK-NEXT: %xw = ov.mat_mul %p, %w_1 : (tensor<1x8xf32>, tensor<8x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT: %hu = ov.mat_mul %v, %u_1 : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT: %gates = ov.add %xw, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
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
