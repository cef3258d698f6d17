// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// The sum of the iteration numbers is n (n - 1) / 2, without overflow in between.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_sum_of_the_iteration_numbers(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.divide %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.subtract %1, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.add %4, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.subtract %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %8 = ov.multiply %3, %7 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.add %k, %8 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: func.return %r : tensor<i64>
// CHECK-NEXT: }
func.func @recurrence_sum_of_the_iteration_numbers(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.add %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_sum_of_the_iteration_numbers_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.add %v, %number : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// Floats: from 2^24 on the sums are rounded.
func.func @recurrence_sum_of_the_iteration_numbers_near_miss(%n: tensor<i64>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %number : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// A sum of multiples of the iteration number in 32 bits wraps as the additions do.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_sum_of_the_iteration_numbers_that_wraps(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.divide %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.subtract %1, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.add %4, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.subtract %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %8 = ov.multiply %3, %7 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %9 = ov.convert %8 {destination_type = i32} : (tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %10 = ov.constant dense<100000000> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %11 = ov.multiply %10, %9 : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT: %r = ov.add %x, %11 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT: func.return %r : tensor<4xi32>
// CHECK-NEXT: }
func.func @recurrence_sum_of_the_iteration_numbers_that_wraps(%n: tensor<i64>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %big = ov.constant dense<100000000> : tensor<i32> : tensor<i32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %number = ov.convert %i {destination_type = i32} : (tensor<i64>) -> tensor<i32>
    %m = ov.multiply %number, %big : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.add %v, %m : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_sum_of_the_iteration_numbers_that_wraps_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
// CHECK-NEXT: %number = ov.convert %i {destination_type = i32} : (tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %h = ov.subtract %number, %v : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: %w = ov.clamp %h {min = -5.000000e+01 : f64, max = 6.000000e+01 : f64} : (tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xi32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xi32>
// CHECK-NEXT: }
// Each sum is limited, so that it does not wrap.
func.func @recurrence_sum_of_the_iteration_numbers_that_wraps_near_miss(%n: tensor<i64>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %number = ov.convert %i {destination_type = i32} : (tensor<i64>) -> tensor<i32>
    %h = ov.subtract %number, %v : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
    %w = ov.clamp %h {min = -50.0 : f64, max = 60.0 : f64} : (tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// -----

// An input that is added in each of n trips is added n times at once.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_multiple_of_an_input(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.convert %1 {destination_type = i32} : (tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %3 = ov.multiply %b, %2 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT: %r = ov.add %x, %3 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: func.return %r : tensor<4xi32>
// CHECK-NEXT: }
func.func @recurrence_multiple_of_an_input(%n: tensor<i64>, %x: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %w = ov.add %v, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_multiple_of_an_input_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// Floats: n additions of b are rounded n times, a product once.
func.func @recurrence_multiple_of_an_input_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.add %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// An integer that is multiplied in each of n trips is multiplied with a power.
// Asked: at most 10 iterations in %.
// CHECK-LABEL: func.func @recurrence_geometric(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.power %b, %1 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %r = ov.multiply %x, %2 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: func.return %r : tensor<4xi64>
// CHECK-NEXT: }
func.func @recurrence_geometric(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %w = ov.multiply %v, %b : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_geometric_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// Floats: each product is rounded.
func.func @recurrence_geometric_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// An affine function of an integer, n times, is one affine function, by powers.
// Asked: at most 10 iterations in %.
// CHECK-LABEL: func.func @recurrence_affine(
// CHECK-NEXT: %0 = ov.constant dense<6364136223846793005> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.constant dense<1442695040888963407> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.maximum %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %5 = ov.constant dense<63> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %6 = ov.not_equal %3, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %7, %8, %9, %10, %11 = ov.loop trip(%5) while(%6) carried(%3, %4, %2, %0, %1) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%12: tensor<i64>, %13: tensor<i64>, %14: tensor<i64>, %15: tensor<i64>, %16: tensor<i64>, %17: tensor<i64>):
// CHECK-NEXT: %18 = ov.bitwise_and %13, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %19 = ov.not_equal %18, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %20 = ov.multiply %16, %15 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %21 = ov.add %20, %17 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %22 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %23 = ov.divide %13, %22 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %24 = ov.multiply %14, %16 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %25 = ov.select %19, %24, %14 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %26 = ov.select %19, %21, %15 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %27 = ov.multiply %16, %16 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %28 = ov.multiply %16, %17 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %29 = ov.add %28, %17 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %30 = ov.not_equal %23, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%30) carried(%23, %25, %26, %27, %29 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: %31 = ov.multiply %x, %8 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %r = ov.add %31, %9 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: func.return %r : tensor<4xi64>
// CHECK-NEXT: }
func.func @recurrence_affine(%n: tensor<i64>, %x: tensor<4xi64>) -> tensor<4xi64> {
  %factor = ov.constant dense<6364136223846793005> : tensor<i64> : tensor<i64>
  %step = ov.constant dense<1442695040888963407> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %m = ov.multiply %v, %factor : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %m, %step : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_affine_near_miss(
// CHECK-NEXT: %step = ov.constant dense<7> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
// CHECK-NEXT: %m = ov.multiply %v, %v : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: %w = ov.add %m, %step : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xi64>
// CHECK-NEXT: }
// A square: the powers are not those of one number.
func.func @recurrence_affine_near_miss(%n: tensor<i64>, %x: tensor<4xi64>) -> tensor<4xi64> {
  %step = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %m = ov.multiply %v, %v : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = ov.add %m, %step : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// A sum of sums of the iteration number is a polynomial of the trips.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_polynomial(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.divide %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.subtract %1, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.add %4, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %7 = ov.subtract %5, %6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %8 = ov.multiply %3, %7 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.add %x, %8 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %9 = ov.multiply %x, %1 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %10 = ov.add %b, %9 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: %11 = ov.subtract %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %12 = ov.multiply %8, %11 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %13 = ov.constant dense<-6148914691236517205> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %14 = ov.multiply %12, %13 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %s = ov.add %10, %14 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: func.return %r, %s : tensor<4xi64>, tensor<4xi64>
// CHECK-NEXT: }
func.func @recurrence_polynomial(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %u: tensor<4xi64>, %v: tensor<4xi64>):
    %k = ov.add %u, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %v, %u : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%k, %w : tensor<4xi64>, tensor<4xi64>)
  }
  func.return %r, %s : tensor<4xi64>, tensor<4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_polynomial_near_miss(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %u: tensor<4xi64>, %v: tensor<4xi64>):
// CHECK-NEXT: %k = ov.add %u, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %m = ov.multiply %v, %u : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: %w = ov.add %m, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: ov.next carried(%k, %w : tensor<4xi64>, tensor<4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<4xi64>, tensor<4xi64>
// CHECK-NEXT: }
// The sum is multiplied with the polynomial.
func.func @recurrence_polynomial_near_miss(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %u: tensor<4xi64>, %v: tensor<4xi64>):
    %k = ov.add %u, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %m = ov.multiply %v, %u : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = ov.add %m, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    ov.next carried(%k, %w : tensor<4xi64>, tensor<4xi64>)
  }
  func.return %r, %s : tensor<4xi64>, tensor<4xi64>
}

// -----

// A maximum with one value in each trip is done in one trip, if there is one.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_idempotent_maximum(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<4xf32>) {
// CHECK-NEXT: %w = ov.maximum %x, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %w : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @recurrence_idempotent_maximum(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.maximum %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_idempotent_maximum_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %h = ov.subtract %b, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.maximum %h, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// What is compared with the input is the negative of the value before.
func.func @recurrence_idempotent_maximum_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %h = ov.subtract %b, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.maximum %h, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A function that changes nothing the second time is done in one trip, if there is one.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_idempotent_function(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<4xf32>) {
// CHECK-NEXT: %t = ov.relu %x : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.clamp %t {min = -6.000000e+00 : f64, max = 6.000000e+00 : f64} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %w : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @recurrence_idempotent_function(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %t = ov.relu %v : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.clamp %t {min = -6.0 : f64, max = 6.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_idempotent_function_near_miss(
// CHECK-NEXT: %half = ov.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %t = ov.relu %v : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.multiply %t, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The halves of halves differ.
func.func @recurrence_idempotent_function_near_miss(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %t = ov.relu %v : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %t, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Of a carried value that the next trip does not read only the last trip is done.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_that_reads_nothing_of_the_trip_before(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<4xf32>) {
// CHECK-NEXT: %2 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %3 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %4 = ov.subtract %2, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %number = ov.convert %4 {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %m = ov.multiply %b, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %w : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @recurrence_that_reads_nothing_of_the_trip_before(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %m = ov.multiply %b, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_that_reads_nothing_of_the_trip_before_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %m = ov.multiply %b, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %t = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %c = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.select %c, %t, %v : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// Where a flag is false the value before is kept.
func.func @recurrence_that_reads_nothing_of_the_trip_before_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>, %flags: tensor<8xi1>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %m = ov.multiply %b, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %t = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    %c = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.select %c, %t, %v : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Of a function of the slice that is not joined only the last slice's is computed.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @recurrence_that_only_reads_its_slice(
// CHECK-NEXT: %0 = ov.constant dense<99> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<100> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %4 = ov.slice %x, %0, %1, %2, %3 : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.exp %4 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %w : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @recurrence_that_only_reads_its_slice(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @recurrence_that_only_reads_its_slice_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x1xf32>):
// CHECK-NEXT: %none = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %e = ov.exp %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %m = ov.multiply %e, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %half = ov.constant dense<1.000000e-03> : tensor<1x1xf32> : tensor<1x1xf32>
// CHECK-NEXT: %c = ov.greater %w, %half : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
// CHECK-NEXT: %again = ov.reshape %c, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x1xf32>
// CHECK-NEXT: }
// A condition on the slice may end the loop: which trip is the last one is data.
func.func @recurrence_that_only_reads_its_slice_near_miss(%x: tensor<100x1xf32>, %a: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x1xf32>):
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %e = ov.exp %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %m = ov.multiply %e, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %w = ov.tanh %m : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %half = ov.constant dense<0.001> : tensor<1x1xf32> : tensor<1x1xf32>
    %c = ov.greater %w, %half : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %again = ov.reshape %c, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1x1xf32>)
  }
  func.return %r : tensor<1x1xf32>
}

// -----

// What only the last trip's value is needed of is computed behind the loop.
// Asked: at most 0 ov.exp in ov.loop, at most 0 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @recurrence_whose_last_value_is_used(
// CHECK-NEXT: %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %e = ov.exp %v_end : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: func.return %m : tensor<1x16xf32>
// CHECK-NEXT: }
func.func @recurrence_whose_last_value_is_used(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end, %y_end = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end : tensor<1x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop, at least 1 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @recurrence_whose_last_value_is_used_near_miss(
// CHECK-NEXT: %v_end, %y_end = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>, %p: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %t = ov.subtract %s, %y : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y_end : tensor<1x16xf32>
// CHECK-NEXT: }
// The next trip reads it.
func.func @recurrence_whose_last_value_is_used_near_miss(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end, %y_end = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %t = ov.subtract %s, %y : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end : tensor<1x16xf32>
}

// -----

// It is computed behind a loop that may not run if the loop has run.
// Asked: at most 0 ov.exp in ov.loop, at most 0 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @recurrence_whose_last_value_is_used_of_dynamic_trips(
// CHECK-NEXT: %v_end = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<1x16xf32>) -> tensor<1x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %x : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %y_end = ov.if %1 -> (tensor<1x16xf32>) {
// CHECK-NEXT: %e = ov.exp %v_end : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.yield %m : tensor<1x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<1x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y_end, %v_end : tensor<1x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
func.func @recurrence_whose_last_value_is_used_of_dynamic_trips(%n: tensor<i64>, %x: tensor<1x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %v_end, %y_end = ov.loop trip(%n) carried(%a, %x) : (tensor<i64>, tensor<1x16xf32>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>):
    %s = ov.multiply %v, %x : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end, %v_end : tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.gather in ov.loop.
// CHECK-LABEL: func.func @recurrence_whose_last_value_is_used_of_dynamic_trips_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %v_end, %0 = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %x : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %at = ov.gather %k, %i, %axis : (tensor<8x1xi64>, tensor<i64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %g = ov.gather %b, %at, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>) last(%g : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %1 = ov.not_equal %n, %axis : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %y_end = ov.if %1 -> (tensor<1x16xf32>) {
// CHECK-NEXT: %e = ov.exp %0 : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %m = ov.multiply %e, %v_end : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.yield %m : tensor<1x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<1x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y_end, %v_end : tensor<1x16xf32>, tensor<1x16xf32>
// CHECK-NEXT: }
// It is made of rows at positions that are data, which may not exist: an earlier trip may fail.
func.func @recurrence_whose_last_value_is_used_of_dynamic_trips_near_miss(%n: tensor<i64>, %x: tensor<1x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>, %k: tensor<8x1xi64>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %v_end, %y_end = ov.loop trip(%n) carried(%a, %x) : (tensor<i64>, tensor<1x16xf32>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %y: tensor<1x16xf32>):
    %s = ov.multiply %v, %x : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %at = ov.gather %k, %i, %axis : (tensor<8x1xi64>, tensor<i64>, tensor<i64>) -> tensor<1xi64>
    %g = ov.gather %b, %at, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x16xf32>
    %e = ov.exp %g : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.multiply %e, %w : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w, %m : tensor<1x16xf32>, tensor<1x16xf32>)
  }
  func.return %y_end, %v_end : tensor<1x16xf32>, tensor<1x16xf32>
}
