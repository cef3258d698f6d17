// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse,ov-loop-unroll{max-trips=8 factor=4},canonicalize,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Four copies of the body to a trip, of a number that four divides.
// Asked: at most 30 iterations in %.
// CHECK-LABEL: func.func @unroll_by_factor(
// CHECK-NEXT: %0 = ov.constant dense<250> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%1: tensor<i64>, %2: tensor<4xf32>):
// CHECK-NEXT: %w = ov.subtract %a, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_1 = ov.subtract %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_2 = ov.subtract %a, %w_1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_3 = ov.subtract %a, %w_2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w_3 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @unroll_by_factor(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @unroll_by_factor_near_miss(
// CHECK-NEXT: %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1xf32>, tensor<1000xf32>) -> tensor<1xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1xf32>, %p: tensor<1xf32>):
// CHECK-NEXT: %w = ov.subtract %p, %v : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %s = ov.reduce_sum %w, %front : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %s, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1xf32>
// CHECK-NEXT: }
// A condition on data may end the loop in the middle of four copies, each of which has a slice.
func.func @unroll_by_factor_near_miss(%x: tensor<1000xf32>, %a: tensor<1xf32>, %most: tensor<f32>) -> tensor<1xf32> {
  %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1xf32>, tensor<1000xf32>) -> tensor<1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>, %p: tensor<1xf32>):
    %w = ov.subtract %p, %v : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %s = ov.reduce_sum %w, %front : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
    %again = ov.less %s, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1xf32>)
  }
  func.return %r : tensor<1xf32>
}

// -----

// Four copies of the body to a trip, with three behind the loop.
// Asked: at most 30 iterations in %.
// CHECK-LABEL: func.func @unroll_by_factor_with_a_remainder(
// CHECK-NEXT: %0 = ov.constant dense<250> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%2: tensor<i64>, %3: tensor<4xf32>):
// CHECK-NEXT: %w = ov.subtract %a, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_1 = ov.subtract %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_2 = ov.subtract %a, %w_1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_3 = ov.subtract %a, %w_2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w_3 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %w_4 = ov.subtract %a, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_5 = ov.subtract %a, %w_4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_6 = ov.subtract %a, %w_5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %w_6 : tensor<4xf32>
// CHECK-NEXT: }
func.func @unroll_by_factor_with_a_remainder(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %trips = ov.constant dense<1003> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @unroll_by_factor_with_a_remainder_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<1003> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<251> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%1: tensor<i64>, %2: tensor<f32>):
// CHECK-NEXT: %3 = ov.constant dense<4> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %4 = ov.multiply %1, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %w = ov.subtract %a, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %5 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %6 = ov.add %4, %5 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %7 = ov.not_equal %6, %trips : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %8 = ov.logical_and %again, %7 : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %9, %10 = ov.if %8 -> (tensor<i1>, tensor<f32>) {
// CHECK-NEXT: %w_1 = ov.subtract %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again_1 = ov.less %w_1, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %11 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %12 = ov.add %4, %11 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %13 = ov.not_equal %12, %trips : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %14 = ov.logical_and %again_1, %13 : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %15, %16 = ov.if %14 -> (tensor<i1>, tensor<f32>) {
// CHECK-NEXT: %w_2 = ov.subtract %a, %w_1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again_2 = ov.less %w_2, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %17 = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %18 = ov.add %4, %17 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %19 = ov.not_equal %18, %trips : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %20 = ov.logical_and %again_2, %19 : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %21, %22 = ov.if %20 -> (tensor<i1>, tensor<f32>) {
// CHECK-NEXT: %w_3 = ov.subtract %a, %w_2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again_3 = ov.less %w_3, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.yield %again_3, %w_3 : tensor<i1>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %23 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %23, %w_2 : tensor<i1>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %21, %22 : tensor<i1>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %24 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %24, %w_1 : tensor<i1>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %15, %16 : tensor<i1>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %25 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %25, %w : tensor<i1>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next while(%9) carried(%10 : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// A condition on data may end the loop in the middle of four copies.
func.func @unroll_by_factor_with_a_remainder_near_miss(%x: tensor<f32>, %a: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  %trips = ov.constant dense<1003> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.subtract %a, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Four copies of the body to a trip where only the run knows the trips.
// Asked: at most 30 iterations in %.
// CHECK-LABEL: func.func @unroll_dynamic_trips(
// CHECK-NEXT: %0 = ov.constant dense<4> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.divide %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.loop trip(%1) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%3: tensor<i64>, %4: tensor<4xf32>):
// CHECK-NEXT: %w = ov.subtract %a, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_1 = ov.subtract %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_2 = ov.subtract %a, %w_1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_3 = ov.subtract %a, %w_2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w_3 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %5 = ov.floor_mod %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%5) carried(%2) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w_4 = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w_4 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @unroll_dynamic_trips(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @unroll_dynamic_trips_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<4> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.divide %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.loop trip(%1) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%3: tensor<i64>, %4: tensor<f32>):
// CHECK-NEXT: %5 = ov.multiply %3, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g = ov.gather %a, %5, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.subtract %g, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %6 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.add %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g_1 = ov.gather %a, %7, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w_1 = ov.subtract %g_1, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %8 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %9 = ov.add %5, %8 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g_2 = ov.gather %a, %9, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w_2 = ov.subtract %g_2, %w_1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %10 = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %11 = ov.add %5, %10 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g_3 = ov.gather %a, %11, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w_3 = ov.subtract %g_3, %w_2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w_3 : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: %12 = ov.multiply %1, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %13 = ov.floor_mod %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%13) carried(%2) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %i_1 = ov.add %i, %12 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g_4 = ov.gather %a, %i_1, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w_4 = ov.subtract %g_4, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w_4 : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// The remainder must not read what only a whole round may.
func.func @unroll_dynamic_trips_near_miss(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<16xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %g = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.subtract %g, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Copies of a body with a condition, between which the loop may end.
// Asked: at most 30 iterations in %.
// CHECK-LABEL: func.func @unroll_while(
// CHECK-NEXT: %half = ov.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%0: tensor<i64>, %1: tensor<f32>):
// CHECK-NEXT: %w = ov.add %1, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %2, %3 = ov.if %again -> (tensor<i1>, tensor<f32>) {
// CHECK-NEXT: %w_1 = ov.add %w, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again_1 = ov.less %w_1, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %4, %5 = ov.if %again_1 -> (tensor<i1>, tensor<f32>) {
// CHECK-NEXT: %w_2 = ov.add %w_1, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again_2 = ov.less %w_2, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %6, %7 = ov.if %again_2 -> (tensor<i1>, tensor<f32>) {
// CHECK-NEXT: %w_3 = ov.add %w_2, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again_3 = ov.less %w_3, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.yield %again_3, %w_3 : tensor<i1>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %8 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %8, %w_2 : tensor<i1>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %6, %7 : tensor<i1>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %9 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %9, %w_1 : tensor<i1>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %4, %5 : tensor<i1>, tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %10 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %10, %w : tensor<i1>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next while(%2) carried(%3 : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @unroll_while(%most: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @unroll_while_near_miss(
// CHECK-NEXT: %0 = ov.constant dense<16> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%0) carried(%x) sliced(%a) {slices = [#ov.slice<axis = 0, end = 16>]} : (tensor<i64>, tensor<f32>, tensor<16xf32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>, %1: tensor<1xf32>):
// CHECK-NEXT: %2 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %g = ov.reshape %1, %2 : (tensor<1xf32>, tensor<0xi64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.subtract %g, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%small) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// The next copy may only run where the condition holds: it reads position i.
func.func @unroll_while_near_miss(%most: tensor<f32>, %x: tensor<f32>, %a: tensor<16xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %end = ov.constant dense<15> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %g = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<16xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.subtract %g, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = ov.less %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %again = ov.logical_and %small, %more : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
