// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse,ov-loop-reassociate' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Floats that are added are a ReduceSum where another order is allowed.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_float_sum_on_request(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_sum %x, %0 {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.add %a, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %w : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @reduction_float_sum_on_request(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_float_sum_on_request_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %h = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %short = ov.convert %h {destination_type = f16} : (tensor<1x4xf32>) -> tensor<1x4xf16>
// CHECK-NEXT: %w = ov.convert %short {destination_type = f32} : (tensor<1x4xf16>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// Each sum is rounded to a float of 16 bits: that is no order of additions.
func.func @reduction_float_sum_on_request_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %h = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %short = ov.convert %h {destination_type = f16} : (tensor<1x4xf32>) -> tensor<1x4xf16>
    %w = ov.convert %short {destination_type = f32} : (tensor<1x4xf16>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Sums of floats that are joined are a CumSum where another order is allowed.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_float_prefix_sums_on_request(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.cum_sum %x, %0 : (tensor<100x4xf32>, tensor<i64>) -> tensor<100x4xf32>
// CHECK-NEXT: %w = ov.add %a, %1 : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %w : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @reduction_float_prefix_sums_on_request(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_float_prefix_sums_on_request_near_miss(
// CHECK-NEXT: %none = ov.constant dense<0.000000e+00> : tensor<1x4xf32> : tensor<1x4xf32>
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %c = ov.less %v, %none : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
// CHECK-NEXT: %d = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %h = ov.select %c, %d, %v : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.add %h, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// The sum is doubled where the part before was negative.
func.func @reduction_float_prefix_sums_on_request_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %none = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %c = ov.less %v, %none : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %d = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %h = ov.select %c, %d, %v : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %h, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// A linear recurrence of floats runs in blocks, side by side, where another order is allowed.
// Asked: at most 30 iterations in %.
// CHECK-LABEL: func.func @recurrence_linear_on_request(
// CHECK-NEXT: %0 = ov.constant dense<[1000, 1, 4]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<1000x4xf32>, tensor<3xi64>) -> tensor<1000x1x4xf32>
// CHECK-NEXT: %2 = ov.constant dense<[1000, 1, 4]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %3 = ov.reshape %y, %2 : (tensor<1000x4xf32>, tensor<3xi64>) -> tensor<1000x1x4xf32>
// CHECK-NEXT: %4 = ov.constant dense<[40, 25, 1, 4]> : tensor<4xi64> : tensor<4xi64>
// CHECK-NEXT: %5 = ov.reshape %1, %4 : (tensor<1000x1x4xf32>, tensor<4xi64>) -> tensor<40x25x1x4xf32>
// CHECK-NEXT: %6 = ov.constant dense<[40, 25, 1, 4]> : tensor<4xi64> : tensor<4xi64>
// CHECK-NEXT: %7 = ov.reshape %3, %6 : (tensor<1000x1x4xf32>, tensor<4xi64>) -> tensor<40x25x1x4xf32>
// CHECK-NEXT: %8 = ov.constant dense<1.000000e+00> : tensor<40x1x1x4xf32> : tensor<40x1x1x4xf32>
// CHECK-NEXT: %9 = ov.constant dense<0.000000e+00> : tensor<40x1x1x4xf32> : tensor<40x1x1x4xf32>
// CHECK-NEXT: %10, %11, %12, %13 = ov.loop carried(%8, %9) sliced(%5, %7) {slices = [#ov.slice<axis = 1>, #ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>, #ov.slice<axis = 1>]} : (tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>, tensor<40x25x1x4xf32>, tensor<40x25x1x4xf32>) -> (tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>, tensor<40x25x1x4xf32>, tensor<40x25x1x4xf32>) {
// CHECK-NEXT: ^bb0(%14: tensor<i64>, %15: tensor<40x1x1x4xf32>, %16: tensor<40x1x1x4xf32>, %17: tensor<40x1x1x4xf32>, %18: tensor<40x1x1x4xf32>):
// CHECK-NEXT: %19 = ov.multiply %16, %17 : (tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>) -> tensor<40x1x1x4xf32>
// CHECK-NEXT: %20 = ov.add %19, %18 : (tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>) -> tensor<40x1x1x4xf32>
// CHECK-NEXT: %21 = ov.multiply %15, %17 : (tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>) -> tensor<40x1x1x4xf32>
// CHECK-NEXT: ov.next carried(%21, %20 : tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>) concat(%21, %20 : tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %22 = ov.constant dense<[1, 1, 1, 4]> : tensor<4xi64> : tensor<4xi64>
// CHECK-NEXT: %23 = ov.reshape %a, %22 : (tensor<1x4xf32>, tensor<4xi64>) -> tensor<1x1x1x4xf32>
// CHECK-NEXT: %24, %25 = ov.loop carried(%23) sliced(%10, %11) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1x1x4xf32>, tensor<40x1x1x4xf32>, tensor<40x1x1x4xf32>) -> (tensor<1x1x1x4xf32>, tensor<40x1x1x4xf32>) {
// CHECK-NEXT: ^bb0(%26: tensor<i64>, %27: tensor<1x1x1x4xf32>, %28: tensor<1x1x1x4xf32>, %29: tensor<1x1x1x4xf32>):
// CHECK-NEXT: %30 = ov.multiply %27, %28 : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
// CHECK-NEXT: %31 = ov.add %30, %29 : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
// CHECK-NEXT: ov.next carried(%31 : tensor<1x1x1x4xf32>) concat(%27 : tensor<1x1x1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %32 = ov.multiply %25, %12 : (tensor<40x1x1x4xf32>, tensor<40x25x1x4xf32>) -> tensor<40x25x1x4xf32>
// CHECK-NEXT: %33 = ov.add %32, %13 : (tensor<40x25x1x4xf32>, tensor<40x25x1x4xf32>) -> tensor<40x25x1x4xf32>
// CHECK-NEXT: %34 = ov.constant dense<[1000, 1, 4]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %35 = ov.reshape %33, %34 : (tensor<40x25x1x4xf32>, tensor<3xi64>) -> tensor<1000x1x4xf32>
// CHECK-NEXT: %36 = ov.constant dense<[1000, 4]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %all = ov.reshape %35, %36 : (tensor<1000x1x4xf32>, tensor<2xi64>) -> tensor<1000x4xf32>
// CHECK-NEXT: func.return %all : tensor<1000x4xf32>
// CHECK-NEXT: }
func.func @recurrence_linear_on_request(%x: tensor<1000x4xf32>, %y: tensor<1000x4xf32>, %a: tensor<1x4xf32>) -> tensor<1000x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1000x4xf32>, tensor<1000x4xf32>) -> (tensor<1x4xf32>, tensor<1000x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<1000x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_linear_on_request_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1000x4xf32>, tensor<1000x4xf32>) -> (tensor<1x4xf32>, tensor<1000x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %t = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.multiply %t, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<1000x4xf32>
// CHECK-NEXT: }
// The state goes through a function that is not linear.
func.func @recurrence_linear_on_request_near_miss(%x: tensor<1000x4xf32>, %y: tensor<1000x4xf32>, %a: tensor<1x4xf32>) -> tensor<1000x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1000x4xf32>, tensor<1000x4xf32>) -> (tensor<1x4xf32>, tensor<1000x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %t = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.multiply %t, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<1000x4xf32>
}
