// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// A `while` over a counter with a constant step is counted.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_affine_step(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.add %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %5 = ov.divide %3, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.add %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %8 = ov.multiply %5, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %9 = ov.constant dense<9223372036854775805> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %10 = ov.less %9, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %11 = ov.less %2, %5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %12 = ov.logical_and %11, %10 : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %13 = ov.constant dense<4611686018427387904> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %14 = ov.select %12, %13, %7 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%14) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_affine_step(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_affine_step_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %size = ov.abs %w : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %whole = ov.convert %size {destination_type = i64} : (tensor<f32>) -> tensor<i64>
// CHECK-NEXT: %step = ov.add %whole, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %again = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// How far the counter goes is data.
func.func @trips_affine_step_near_miss(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.multiply %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %size = ov.abs %w : (tensor<f32>) -> tensor<f32>
    %whole = ov.convert %size {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %step = ov.add %whole, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// `i + 1 < 1000` as the condition is a trip count.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_of_the_iteration_number(
// CHECK-NEXT: %0 = ov.constant dense<1000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_of_the_iteration_number(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %done, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_of_the_iteration_number_near_miss(
// CHECK-NEXT: %most = ov.constant dense<1.200000e+01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %x_end, %m_end = ov.loop carried(%x, %most) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>, %m: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %size = ov.abs %w : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %less = ov.subtract %m, %size : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %m_next = ov.subtract %less, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %done = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %done, %m_next : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w, %m_next : tensor<f32>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// What it is compared with falls at a rate that is data.
func.func @trips_of_the_iteration_number_near_miss(%x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %most = ov.constant dense<12.0> : tensor<f32> : tensor<f32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %x_end, %m_end = ov.loop carried(%x, %most) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %m: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %size = ov.abs %w : (tensor<f32>) -> tensor<f32>
    %less = ov.subtract %m, %size : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m_next = ov.subtract %less, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %done = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %again = ov.less %done, %m_next : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %m_next : tensor<f32>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// A counter that falls to zero is counted.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_decreasing(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.add %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %5 = ov.divide %3, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.add %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%7) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_decreasing(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %go = ov.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%n, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.subtract %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.greater %k_next, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_decreasing_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %go = ov.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %k_end, %x_end = ov.loop trip(%m) while(%go) carried(%n, %x) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %k_next = ov.subtract %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %again = ov.greater %k_next, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// The step is an input: where it is 0 the condition never ends the loop.
func.func @trips_decreasing_near_miss(%n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %go = ov.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop trip(%m) while(%go) carried(%n, %x) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.subtract %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.greater %k_next, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A counter that runs until it is equal to a constant, which it hits, is counted.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_not_equal(
// CHECK-NEXT: %0 = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_not_equal(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<300> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%zero, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_not_equal_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %x_end = ov.loop trip(%m) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %again = ov.not_equal %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// The counter hits the end only where that is a multiple of the step.
func.func @trips_not_equal_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop trip(%m) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A counter that doubles is counted: the trips are a logarithm.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_product(
// CHECK-NEXT: %0 = ov.constant dense<20> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_product(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<1000000> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%one, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.multiply %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_product_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %end = ov.constant dense<1000000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %x_end = ov.loop trip(%m) carried(%one, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %k_next = ov.multiply %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %again = ov.less %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// The factor is an input: it may be 1.
func.func @trips_product_near_miss(%m: tensor<i64>, %s: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<1000000> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop trip(%m) carried(%one, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.multiply %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Of `k < n` and a condition on data the first bounds the trips.
// Asked: at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_bound_of_a_conjunction(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %0 = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%0) while(%go) carried(%x) : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%small) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
func.func @trips_bound_of_a_conjunction(%n: tensor<i64>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and %within, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops, at least 1 unbounded loops.
// CHECK-LABEL: func.func @trips_bound_of_a_conjunction_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %half = ov.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %within = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %again = ov.logical_or %within, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// A disjunction: the counter bounds nothing.
func.func @trips_bound_of_a_conjunction_near_miss(%n: tensor<i64>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %k_next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %small = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_or %within, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// Trips are symbolic in values before the loop: begin and end are inputs.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_between_two_inputs(
// CHECK-NEXT: %0 = ov.constant dense<9223372036854775807> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.equal %m, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.add %m, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.maximum %3, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.subtract %4, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.less %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %8 = ov.constant dense<4611686018427387904> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %9 = ov.select %7, %8, %5 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %10 = ov.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %11 = ov.add %9, %10 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %12 = ov.constant dense<4> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %13 = ov.divide %11, %12 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %14 = ov.add %13, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %15 = ov.multiply %13, %12 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %16 = ov.add %n, %15 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %17 = ov.constant dense<9223372036854775803> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %18 = ov.less %17, %16 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %19 = ov.less %10, %13 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %20 = ov.logical_and %19, %18 : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %21 = ov.select %20, %8, %14 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %22 = ov.select %1, %8, %21 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%22) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_between_two_inputs(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %go = ov.less_equal %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%n, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %four : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %k_next, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_between_two_inputs_near_miss(
// CHECK-NEXT: %x_end = ov.loop trip(%m) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less_equal %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// Before the first iteration another condition is asked.
func.func @trips_between_two_inputs_near_miss(%n: tensor<i64>, %m: tensor<i64>, %c: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop trip(%m) while(%c) carried(%n, %x) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %four : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// A counter of constants that no formula fits is evaluated, up to a limit.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_by_evaluation(
// CHECK-NEXT: %0 = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_by_evaluation(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %prime = ov.constant dense<101> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%one, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %thrice = ov.multiply %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.floor_mod %thrice, %prime : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_by_evaluation_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %prime = ov.constant dense<101> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %x_end = ov.loop carried(%n, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %thrice = ov.multiply %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.floor_mod %thrice, %prime : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %again = ov.not_equal %k_next, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// Where it begins is an input.
func.func @trips_by_evaluation_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %prime = ov.constant dense<101> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%n, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %thrice = ov.multiply %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.floor_mod %thrice, %prime : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.not_equal %k_next, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A monotone function of the iteration number in the condition gives a trip count.
// Asked: at most 0 conditions of loops, at most 0 unbounded loops.
// CHECK-LABEL: func.func @trips_monotone_function(
// CHECK-NEXT: %0 = ov.constant dense<23> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_monotone_function(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<500> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %square = ov.multiply %done, %done : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %square, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_monotone_function_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %most = ov.constant dense<5.000000e+02> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %x_end = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %square = ov.multiply %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.add %square, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// The square is of data.
func.func @trips_monotone_function_near_miss(%x: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %most = ov.constant dense<500.0> : tensor<f32> : tensor<f32>
  %x_end = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %square = ov.multiply %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.add %square, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// A loop of no trips is what it began with.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @trips_zero(
// CHECK-NEXT: func.return %x : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_zero(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %none = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %x_end = ov.loop trip(%none) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @trips_zero_near_miss(
// CHECK-NEXT: %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// The trip count may be 0.
func.func @trips_zero_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A loop whose condition is false before the first trip is what it began with.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @trips_never_begun(
// CHECK-NEXT: func.return %x : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_never_begun(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %go = ov.less %five, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %x_end = ov.loop trip(%n) while(%go) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @trips_never_begun_near_miss(
// CHECK-NEXT: %x_end = ov.loop trip(%n) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// The condition before the loop is an input.
func.func @trips_never_begun_near_miss(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %x_end = ov.loop trip(%n) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A loop whose condition ends it after the first trip is its body.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @trips_one(
// CHECK-NEXT: %w = ov.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %w : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_one(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %done, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @trips_one_near_miss(
// CHECK-NEXT: %0 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.subtract %1, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %3 = ov.constant dense<4611686018427387904> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %4 = ov.minimum %2, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.add %4, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%5) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
// At least one iteration, but perhaps more.
func.func @trips_one_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A loop of one trip at most is an If.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @trips_at_most_one(
// CHECK-NEXT: %x_end = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %w = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %w : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @trips_at_most_one(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop trip(%one) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %w = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%w : tensor<16x16xf32>)
  }
  func.return %x_end : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @trips_at_most_one_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %x_end = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// The condition is asked again, and no trip count ends the loop.
func.func @trips_at_most_one_near_miss(%c: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %x_end = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// The trips of a `while` are the extent of what it joins.
// Asked: at most 0 dynamic results.
// CHECK-LABEL: func.func @trips_give_extents(
// CHECK-NEXT: %0 = ov.constant dense<200> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %x_end, %all = ov.loop trip(%0) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<200x2xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x2xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x2xf32>) concat(%w : tensor<1x2xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<200x2xf32>
// CHECK-NEXT: }
func.func @trips_give_extents(%x: tensor<1x2xf32>, %a: tensor<1x2xf32>) -> tensor<?x2xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<400> : tensor<i64> : tensor<i64>
  %k_end, %x_end, %all = ov.loop carried(%zero, %x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<i64>, tensor<1x2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<1x2xf32>):
    %w = ov.add %v, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<1x2xf32>) concat(%w : tensor<1x2xf32>)
  }
  func.return %all : tensor<?x2xf32>
}

// -----

// Near miss. Kept: at least 1 dynamic results.
// CHECK-LABEL: func.func @trips_give_extents_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<200> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %front = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %x_end, %all = ov.loop trip(%trips) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xf32>) -> (tensor<1xf32>, tensor<?xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1xf32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %small = ov.less %w, %most : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
// CHECK-NEXT: %again = ov.reshape %small, %front : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<1xf32>) concat(%w : tensor<1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<?xf32>
// CHECK-NEXT: }
// A condition on data may end the loop before.
func.func @trips_give_extents_near_miss(%most: tensor<1xf32>, %x: tensor<1xf32>, %a: tensor<1xf32>) -> tensor<?xf32> {
  %trips = ov.constant dense<200> : tensor<i64> : tensor<i64>
  %front = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
  %x_end, %all = ov.loop trip(%trips) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xf32>) -> (tensor<1xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>):
    %w = ov.add %v, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %small = ov.less %w, %most : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %again = ov.reshape %small, %front {special_zero = false} : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1xf32>) concat(%w : tensor<1xf32>)
  }
  func.return %all : tensor<?xf32>
}

// -----

// A condition that holds as long as the trip count lets the loop run goes.
// Asked: at most 0 conditions of loops.
// CHECK-LABEL: func.func @trips_condition_that_never_ends(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.less %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.select %1, %2, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %x_end = ov.loop trip(%3) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<4xf32>
// CHECK-NEXT: }
func.func @trips_condition_that_never_ends(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 conditions of loops.
// CHECK-LABEL: func.func @trips_condition_that_never_ends_near_miss(
// CHECK-NEXT: %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %whole = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
// CHECK-NEXT: %again = ov.less_equal %whole, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x_end : tensor<f32>
// CHECK-NEXT: }
// A number that is data, not the iterations done, is compared with the trip count.
func.func @trips_condition_that_never_ends_near_miss(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %x_end = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %whole = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %again = ov.less_equal %whole, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}
