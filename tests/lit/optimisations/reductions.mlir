// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Slices of integers that are added are a ReduceSum.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_of_integers(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_sum %x, %0 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.add %a, %1 : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: func.return %w : tensor<1x4xi64>
// CHECK-NEXT: }
func.func @reduction_sum_of_integers(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_of_integers_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// Floats: each sum is rounded, and the order of the parts decides how.
func.func @reduction_sum_of_integers_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// A sum that wraps in its type is a ReduceSum that wraps.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_that_wraps(
// CHECK-NEXT: %0 = ov.constant dense<200000000> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %q = ov.multiply %x, %0 : (tensor<100x4xi32>, tensor<i32>) -> tensor<100x4xi32>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.reduce_sum %q, %1 {keep_dims = true} : (tensor<100x4xi32>, tensor<1xi64>) -> tensor<1x4xi32>
// CHECK-NEXT: %w = ov.add %a, %2 : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
// CHECK-NEXT: func.return %w : tensor<1x4xi32>
// CHECK-NEXT: }
func.func @reduction_sum_that_wraps(%x: tensor<100x4xi32>, %a: tensor<1x4xi32>) -> tensor<1x4xi32> {
  %big = ov.constant dense<200000000> : tensor<i32> : tensor<i32>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi32>, tensor<100x4xi32>) -> tensor<1x4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi32>, %p: tensor<1x4xi32>):
    %q = ov.multiply %p, %big : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
    %w = ov.add %v, %q : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
    ov.next carried(%w : tensor<1x4xi32>)
  }
  func.return %r : tensor<1x4xi32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_that_wraps_near_miss(
// CHECK-NEXT: %big = ov.constant dense<2> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi32>, tensor<100x4xi32>) -> tensor<1x4xi32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi32>, %p: tensor<1x4xi32>):
// CHECK-NEXT: %q = ov.subtract %p, %big : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
// CHECK-NEXT: %h = ov.add %v, %q : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
// CHECK-NEXT: %w = ov.clamp %h {min = -5.000000e+00 : f64, max = 5.000000e+00 : f64} : (tensor<1x4xi32>) -> tensor<1x4xi32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xi32>
// CHECK-NEXT: }
// The sum is limited in each trip: it does not wrap.
func.func @reduction_sum_that_wraps_near_miss(%x: tensor<100x4xi32>, %a: tensor<1x4xi32>) -> tensor<1x4xi32> {
  %big = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi32>, tensor<100x4xi32>) -> tensor<1x4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi32>, %p: tensor<1x4xi32>):
    %q = ov.subtract %p, %big : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
    %h = ov.add %v, %q : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
    %w = ov.clamp %h {min = -5.0 : f64, max = 5.0 : f64} : (tensor<1x4xi32>) -> tensor<1x4xi32>
    ov.next carried(%w : tensor<1x4xi32>)
  }
  func.return %r : tensor<1x4xi32>
}

// -----

// A sum of as many rows as the run says is the sum of a slice.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_of_the_first(
// CHECK-NEXT: %m = ov.clamp %n {min = 0.000000e+00 : f64, max = 1.000000e+02 : f64} : (tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %2 = ov.maximum %m, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %3 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %4 = ov.reshape %2, %3 : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %g = ov.slice %x, %0, %4, %3, %0 : (tensor<100x4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xi64>
// CHECK-NEXT: %5 = ov.reduce_sum %g, %0 : (tensor<?x4xi64>, tensor<1xi64>) -> tensor<4xi64>
// CHECK-NEXT: %w = ov.add %a, %5 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: func.return %w : tensor<4xi64>
// CHECK-NEXT: }
func.func @reduction_sum_of_the_first(%n: tensor<i64>, %x: tensor<100x4xi64>, %a: tensor<4xi64>) -> tensor<4xi64> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 100.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %v, %g : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_of_the_first_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %limit = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %m = ov.clamp %n {min = 0.000000e+00 : f64, max = 1.000000e+02 : f64} : (tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%m) carried(%axis) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<i64>):
// CHECK-NEXT: %at = ov.floor_mod %v, %limit : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %h = ov.add %v, %g : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %w = ov.add %h, %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%w : tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<i64>
// CHECK-NEXT: }
// What is added is the row at the sum so far.
func.func @reduction_sum_of_the_first_near_miss(%n: tensor<i64>, %x: tensor<100xi64>, %a: tensor<i64>) -> tensor<i64> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 100.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%axis) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %at = ov.floor_mod %v, %limit : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = ov.add %v, %g : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.add %h, %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// -----

// The maximum of slices, NaNs and all, is a ReduceMax.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_maximum(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_max %x, %0 {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.maximum %a, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %w : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @reduction_maximum(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_maximum_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %c = ov.greater %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
// CHECK-NEXT: %w = ov.select %c, %p, %v : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// A comparison with a NaN is false: the maximum of a comparison loses it, or keeps it, by its place.
func.func @reduction_maximum_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %c = ov.greater %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %w = ov.select %c, %p, %v : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// The minimum of slices is a ReduceMin.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_minimum(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_min %x, %0 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.minimum %a, %1 : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: func.return %w : tensor<1x4xi64>
// CHECK-NEXT: }
func.func @reduction_minimum(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.minimum %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_minimum_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
// CHECK-NEXT: %h = ov.minimum %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.negative %h : (tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xi64>
// CHECK-NEXT: }
// The sign of the least value so far changes in each trip.
func.func @reduction_minimum_near_miss(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %h = ov.minimum %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.negative %h : (tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Slices of integers that are multiplied are a ReduceProd, which wraps.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_product_of_integers(
// CHECK-NEXT: %0 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %q = ov.add %x, %0 : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.reduce_prod %q, %1 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.multiply %a, %2 : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: func.return %w : tensor<1x4xi64>
// CHECK-NEXT: }
func.func @reduction_product_of_integers(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %q = ov.add %p, %one : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %w = ov.multiply %v, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_product_of_integers_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// Floats: each product is rounded.
func.func @reduction_product_of_integers_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// A conjunction of slices is a ReduceLogicalAnd.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_all(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_logical_and %x, %0 {keep_dims = true} : (tensor<100x4xi1>, tensor<1xi64>) -> tensor<1x4xi1>
// CHECK-NEXT: %w = ov.logical_and %a, %1 : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
// CHECK-NEXT: func.return %w : tensor<1x4xi1>
// CHECK-NEXT: }
func.func @reduction_all(%x: tensor<100x4xi1>, %a: tensor<1x4xi1>) -> tensor<1x4xi1> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi1>) -> tensor<1x4xi1> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi1>):
    %w = ov.logical_and %v, %p : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    ov.next carried(%w : tensor<1x4xi1>)
  }
  func.return %r : tensor<1x4xi1>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_all_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi1>) -> (tensor<1x4xi1>, tensor<100x4xi1>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi1>):
// CHECK-NEXT: %h = ov.logical_not %v : (tensor<1x4xi1>) -> tensor<1x4xi1>
// CHECK-NEXT: %w = ov.logical_or %h, %p : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi1>) concat(%w : tensor<1x4xi1>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %all : tensor<1x4xi1>, tensor<100x4xi1>
// CHECK-NEXT: }
// An implication: the parts cannot be grouped in another way.
func.func @reduction_all_near_miss(%x: tensor<100x4xi1>, %a: tensor<1x4xi1>) -> (tensor<1x4xi1>, tensor<100x4xi1>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi1>) -> (tensor<1x4xi1>, tensor<100x4xi1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi1>):
    %h = ov.logical_not %v : (tensor<1x4xi1>) -> tensor<1x4xi1>
    %w = ov.logical_or %h, %p : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    ov.next carried(%w : tensor<1x4xi1>) concat(%w : tensor<1x4xi1>)
  }
  func.return %r, %all : tensor<1x4xi1>, tensor<100x4xi1>
}

// -----

// A disjunction of comparisons of slices is a ReduceLogicalOr.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_any(
// CHECK-NEXT: %0 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.greater %x, %0 : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi1>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.reduce_logical_or %c, %1 {keep_dims = true} : (tensor<100x4xi1>, tensor<1xi64>) -> tensor<1x4xi1>
// CHECK-NEXT: %w = ov.logical_or %a, %2 : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
// CHECK-NEXT: func.return %w : tensor<1x4xi1>
// CHECK-NEXT: }
func.func @reduction_any(%x: tensor<100x4xi64>, %a: tensor<1x4xi1>) -> tensor<1x4xi1> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi1>, tensor<100x4xi64>) -> tensor<1x4xi1> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi1>, %p: tensor<1x4xi64>):
    %c = ov.greater %p, %two : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi1>
    %w = ov.logical_or %v, %c : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    ov.next carried(%w : tensor<1x4xi1>)
  }
  func.return %r : tensor<1x4xi1>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_any_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
// CHECK-NEXT: %c = ov.greater %p, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
// CHECK-NEXT: %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xi64>
// CHECK-NEXT: }
// What is compared is the part and the number of parts found so far.
func.func @reduction_any_near_miss(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %c = ov.greater %p, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
    %w = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// A count of the slices that are greater is a sum of booleans.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_count(
// CHECK-NEXT: %c = ov.greater %x, %a : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xi1>
// CHECK-NEXT: %step = ov.convert %c {destination_type = i64} : (tensor<100x4xi1>) -> tensor<100x4xi64>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %w = ov.reduce_sum %step, %0 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: func.return %w : tensor<1x4xi64>
// CHECK-NEXT: }
func.func @reduction_count(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xi64> {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %r = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xf32>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xf32>):
    %c = ov.greater %p, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
    %w = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_count_near_miss(
// CHECK-NEXT: %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
// CHECK-NEXT: %r = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xf32>) -> tensor<1x4xi64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %c = ov.greater %p, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
// CHECK-NEXT: %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
// CHECK-NEXT: %h = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.multiply %h, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xi64>
// CHECK-NEXT: }
// The count begins anew behind each part that is not greater.
func.func @reduction_count_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xi64> {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %r = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xf32>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xf32>):
    %c = ov.greater %p, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %step = ov.convert %c {destination_type = i64} : (tensor<1x4xi1>) -> tensor<1x4xi64>
    %h = ov.add %v, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.multiply %h, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// A sum of products of two inputs' slices is a product and a ReduceSum.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_of_products(
// CHECK-NEXT: %m = ov.multiply %x, %y : (tensor<100x4xi64>, tensor<100x4xi64>) -> tensor<100x4xi64>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_sum %m, %0 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.add %a, %1 : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: func.return %w : tensor<1x4xi64>
// CHECK-NEXT: }
func.func @reduction_sum_of_products(%x: tensor<100x4xi64>, %y: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>, tensor<100x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>, %q: tensor<1x4xi64>):
    %m = ov.multiply %p, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.add %v, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_sum_of_products_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.add %v, %m : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// Floats.
func.func @reduction_sum_of_products_near_miss(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.multiply %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %v, %m : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Sums of integers that are joined are a CumSum.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_prefix_sums(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.cum_sum %x, %0 : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
// CHECK-NEXT: %w = ov.add %a, %1 : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<100x4xi64>
// CHECK-NEXT: func.return %w : tensor<100x4xi64>
// CHECK-NEXT: }
func.func @reduction_prefix_sums(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
  }
  func.return %all : tensor<100x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_prefix_sums_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// Floats.
func.func @reduction_prefix_sums_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Sums that are joined before the part is added are an exclusive CumSum.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_prefix_sums_before_each(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %w = ov.reduce_sum %x, %0 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %w_1 = ov.cum_sum %x, %1 {exclusive = true} : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
// CHECK-NEXT: func.return %w_1, %w : tensor<100x4xi64>, tensor<1x4xi64>
// CHECK-NEXT: }
func.func @reduction_prefix_sums_before_each(%x: tensor<100x4xi64>) -> (tensor<100x4xi64>, tensor<1x4xi64>) {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %r, %all = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%v : tensor<1x4xi64>)
  }
  func.return %all, %r : tensor<100x4xi64>, tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_prefix_sums_before_each_near_miss(
// CHECK-NEXT: %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
// CHECK-NEXT: %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %all = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
// CHECK-NEXT: %q = ov.subtract %p, %two : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
// CHECK-NEXT: %h = ov.add %v, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.maximum %h, %none : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi64>) concat(%v : tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all, %r : tensor<100x4xi64>, tensor<1x4xi64>
// CHECK-NEXT: }
// A sum that is never less than zero: what is cut off depends on the order.
func.func @reduction_prefix_sums_before_each_near_miss(%x: tensor<100x4xi64>) -> (tensor<100x4xi64>, tensor<1x4xi64>) {
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %q = ov.subtract %p, %two : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %h = ov.add %v, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.maximum %h, %none : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%v : tensor<1x4xi64>)
  }
  func.return %all, %r : tensor<100x4xi64>, tensor<1x4xi64>
}

// -----

// Sums over slices from the end to the beginning are a CumSum of the reversed input.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @reduction_prefix_sums_from_the_end(
// CHECK-NEXT: %0 = ov.constant dense<9223372036854775807> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<-9223372036854775808> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %4 = ov.slice %x, %0, %1, %2, %3 : (tensor<100x4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<100x4xi64>
// CHECK-NEXT: %5 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %6 = ov.cum_sum %4, %5 : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
// CHECK-NEXT: %w = ov.add %a, %6 : (tensor<1x4xi64>, tensor<100x4xi64>) -> tensor<100x4xi64>
// CHECK-NEXT: func.return %w : tensor<100x4xi64>
// CHECK-NEXT: }
func.func @reduction_prefix_sums_from_the_end(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
  }
  func.return %all : tensor<100x4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @reduction_prefix_sums_from_the_end_near_miss(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
// CHECK-NEXT: %h = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %m = ov.floor_mod %h, %three : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
// CHECK-NEXT: %w = ov.subtract %h, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xi64>
// CHECK-NEXT: }
// Each sum is rounded to a multiple of three.
func.func @reduction_prefix_sums_from_the_end_near_miss(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %h = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %m = ov.floor_mod %h, %three : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %w = ov.subtract %h, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
  }
  func.return %all : tensor<100x4xi64>
}
