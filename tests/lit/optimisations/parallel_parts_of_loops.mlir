// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Elementwise operations on each slice are the operations on the whole axis.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @map_elementwise(
// CHECK-NEXT: %q = ov.abs %x : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %r = ov.tanh %q : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %r : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @map_elementwise(%x: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %q = ov.abs %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @map_elementwise_near_miss(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %q = ov.multiply %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %r = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%r : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// Each part is multiplied with the result of the part before.
func.func @map_elementwise_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%r : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// The product of each slice with a matrix from outside is one product.
// Asked: at most 0 ov.loop, at most 1 ov.mat_mul.
// CHECK-LABEL: func.func @map_product_with_a_matrix(
// CHECK-NEXT: %e = ov.exp %x : (tensor<100x16xf32>) -> tensor<100x16xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 16]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %e, %0 : (tensor<100x16xf32>, tensor<3xi64>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %r = ov.mat_mul %1, %w : (tensor<100x1x16xf32>, tensor<16x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %all = ov.reshape %r, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: func.return %all : tensor<100x16xf32>
// CHECK-NEXT: }
func.func @map_product_with_a_matrix(%x: tensor<100x16xf32>, %w: tensor<16x16xf32>) -> tensor<100x16xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x16xf32>) -> tensor<100x16xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x16xf32>):
    %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.mat_mul %e, %w : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next concat(%r : tensor<1x16xf32>)
  }
  func.return %all : tensor<100x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @map_product_with_a_matrix_near_miss(
// CHECK-NEXT: %w_end, %all = ov.loop carried(%w) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<16x16xf32>, tensor<100x16xf32>) -> (tensor<16x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %u: tensor<16x16xf32>, %p: tensor<1x16xf32>):
// CHECK-NEXT: %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.mat_mul %e, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %t = ov.tanh %r : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %u_next = ov.multiply %u, %t : (tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%u_next : tensor<16x16xf32>) concat(%r : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x16xf32>
// CHECK-NEXT: }
// The matrix of a trip is made of the product of the trip before.
func.func @map_product_with_a_matrix_near_miss(%x: tensor<100x16xf32>, %w: tensor<16x16xf32>) -> tensor<100x16xf32> {
  %w_end, %all = ov.loop carried(%w) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<16x16xf32>, tensor<100x16xf32>) -> (tensor<16x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<16x16xf32>, %p: tensor<1x16xf32>):
    %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.mat_mul %e, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %t = ov.tanh %r : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %u_next = ov.multiply %u, %t : (tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%u_next : tensor<16x16xf32>) concat(%r : tensor<1x16xf32>)
  }
  func.return %all : tensor<100x16xf32>
}

// -----

// Products of the slices of two inputs are one batched product.
// Asked: at most 0 ov.loop, at most 1 ov.mat_mul.
// CHECK-LABEL: func.func @map_products_of_slices(
// CHECK-NEXT: %r = ov.mat_mul %x, %y : (tensor<100x4x8xf32>, tensor<100x8x4xf32>) -> tensor<100x4x4xf32>
// CHECK-NEXT: func.return %r : tensor<100x4x4xf32>
// CHECK-NEXT: }
func.func @map_products_of_slices(%x: tensor<100x4x8xf32>, %y: tensor<100x8x4xf32>) -> tensor<100x4x4xf32> {
  %all = ov.loop sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x4x8xf32>, tensor<100x8x4xf32>) -> tensor<100x4x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4x8xf32>, %q: tensor<1x8x4xf32>):
    %r = ov.mat_mul %p, %q : (tensor<1x4x8xf32>, tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
    ov.next concat(%r : tensor<1x4x4xf32>)
  }
  func.return %all : tensor<100x4x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @map_products_of_slices_near_miss(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4x4xf32>, tensor<100x4x4xf32>) -> (tensor<1x4x4xf32>, tensor<100x4x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4x4xf32>, %p: tensor<1x4x4xf32>):
// CHECK-NEXT: %s = ov.mat_mul %v, %p : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
// CHECK-NEXT: %r = ov.tanh %s : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
// CHECK-NEXT: ov.next carried(%r : tensor<1x4x4xf32>) concat(%r : tensor<1x4x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4x4xf32>
// CHECK-NEXT: }
// The product of all: each factor is multiplied with those before.
func.func @map_products_of_slices_near_miss(%x: tensor<100x4x4xf32>, %y: tensor<1x4x4xf32>) -> tensor<100x4x4xf32> {
  %v_end, %all = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4x4xf32>, tensor<100x4x4xf32>) -> (tensor<1x4x4xf32>, tensor<100x4x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4x4xf32>, %p: tensor<1x4x4xf32>):
    %s = ov.mat_mul %v, %p : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %r = ov.tanh %s : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    ov.next carried(%r : tensor<1x4x4xf32>) concat(%r : tensor<1x4x4xf32>)
  }
  func.return %all : tensor<100x4x4xf32>
}

// -----

// A row gathered at the iteration number is a slice, and a map of all rows is done without a loop.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @map_gather_of_the_iteration_number(
// CHECK-NEXT: %q = ov.multiply %x, %a : (tensor<100x4xf32>, tensor<4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %q : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @map_gather_of_the_iteration_number(%x: tensor<100x4xf32>, %a: tensor<4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %all = ov.loop trip(%trips) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.multiply %g, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop, at least 2 ov.gather in ov.loop.
// CHECK-LABEL: func.func @map_gather_of_the_iteration_number_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %all = ov.loop trip(%trips) carried(%axis) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %at: tensor<i64>):
// CHECK-NEXT: %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.multiply %g, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %at_next = ov.gather %k, %at, %axis {out_of_range = "error"} : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%at_next : tensor<i64>) concat(%r : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// The position of a row is in the row before: a list is followed.
func.func @map_gather_of_the_iteration_number_near_miss(%x: tensor<100x4xf32>, %k: tensor<100xi64>, %a: tensor<4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %start = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %k_end, %all = ov.loop trip(%trips) carried(%start) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %at: tensor<i64>):
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.multiply %g, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %at_next = ov.gather %k, %at, %axis {out_of_range = "error"} : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%at_next : tensor<i64>) concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Rows gathered from the end to the beginning are the reversed input.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @map_gather_from_the_end(
// CHECK-NEXT: %0 = ov.constant dense<9223372036854775807> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<-9223372036854775808> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %g = ov.slice %x, %0, %1, %2, %3 : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<100x4xf32>
// CHECK-NEXT: %q = ov.tanh %g : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %q : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @map_gather_from_the_end(%x: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %all = ov.loop trip(%trips) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>):
    %at = ov.subtract %last, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop, at least 2 ov.gather in ov.loop.
// CHECK-LABEL: func.func @map_gather_from_the_end_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %last = ov.constant dense<99> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %zero = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %d_end, %all = ov.loop trip(%trips) carried(%axis) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %d: tensor<i64>):
// CHECK-NEXT: %at = ov.subtract %last, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %number = ov.gather %y, %d, %axis {out_of_range = "error"} : (tensor<100xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %positive = ov.greater %number, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %step = ov.convert %positive {destination_type = i64} : (tensor<i1>) -> tensor<i64>
// CHECK-NEXT: %d_next = ov.add %d, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%d_next : tensor<i64>) concat(%r : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// The distance from the end grows only where the data is positive.
func.func @map_gather_from_the_end_near_miss(%x: tensor<100x4xf32>, %y: tensor<100xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %d_end, %all = ov.loop trip(%trips) carried(%axis) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %d: tensor<i64>):
    %at = ov.subtract %last, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %number = ov.gather %y, %d, %axis {out_of_range = "error"} : (tensor<100xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %positive = ov.greater %number, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %step = ov.convert %positive {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %d_next = ov.add %d, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%d_next : tensor<i64>) concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// A map that also reads the iteration number reads a range.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @map_of_the_iteration_number(
// CHECK-NEXT: %0 = ov.constant dense<{{\[\[}}0.000000e+00], [1.000000e+00], [2.000000e+00], [3.000000e+00], [4.000000e+00], [5.000000e+00], [6.000000e+00], [7.000000e+00], [8.000000e+00], [9.000000e+00], [1.000000e+01], [1.100000e+01], [1.200000e+01], [1.300000e+01], [1.400000e+01], [1.500000e+01], [1.600000e+01], [1.700000e+01], [1.800000e+01], [1.900000e+01], [2.000000e+01], [2.100000e+01], [2.200000e+01], [2.300000e+01], [2.400000e+01], [2.500000e+01], [2.600000e+01], [2.700000e+01], [2.800000e+01], [2.900000e+01], [3.000000e+01], [3.100000e+01], [3.200000e+01], [3.300000e+01], [3.400000e+01], [3.500000e+01], [3.600000e+01], [3.700000e+01], [3.800000e+01], [3.900000e+01], [4.000000e+01], [4.100000e+01], [4.200000e+01], [4.300000e+01], [4.400000e+01], [4.500000e+01], [4.600000e+01], [4.700000e+01], [4.800000e+01], [4.900000e+01], [5.000000e+01], [5.100000e+01], [5.200000e+01], [5.300000e+01], [5.400000e+01], [5.500000e+01], [5.600000e+01], [5.700000e+01], [5.800000e+01], [5.900000e+01], [6.000000e+01], [6.100000e+01], [6.200000e+01], [6.300000e+01], [6.400000e+01], [6.500000e+01], [6.600000e+01], [6.700000e+01], [6.800000e+01], [6.900000e+01], [7.000000e+01], [7.100000e+01], [7.200000e+01], [7.300000e+01], [7.400000e+01], [7.500000e+01], [7.600000e+01], [7.700000e+01], [7.800000e+01], [7.900000e+01], [8.000000e+01], [8.100000e+01], [8.200000e+01], [8.300000e+01], [8.400000e+01], [8.500000e+01], [8.600000e+01], [8.700000e+01], [8.800000e+01], [8.900000e+01], [9.000000e+01], [9.100000e+01], [9.200000e+01], [9.300000e+01], [9.400000e+01], [9.500000e+01], [9.600000e+01], [9.700000e+01], [9.800000e+01], [9.900000e+01]]> : tensor<100x1xf32> : tensor<100x1xf32>
// CHECK-NEXT: %q = ov.multiply %a, %0 : (tensor<1x4xf32>, tensor<100x1xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %r = ov.add %x, %q : (tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %r : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @map_of_the_iteration_number(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.multiply %a, %number : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %r = ov.add %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @map_of_the_iteration_number_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0.000000e+00> : tensor<1x1xf32> : tensor<1x1xf32>
// CHECK-NEXT: %half = ov.constant dense<5.000000e-01> : tensor<1x1xf32> : tensor<1x1xf32>
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x1xf32>) -> (tensor<1x1xf32>, tensor<100x1xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x1xf32>):
// CHECK-NEXT: %r = ov.subtract %p, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %positive = ov.greater %r, %zero : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
// CHECK-NEXT: %less = ov.multiply %r, %half : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %w = ov.select %positive, %less, %p : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x1xf32>) concat(%r : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x1xf32>
// CHECK-NEXT: }
// The factor is halved where the part before was positive.
func.func @map_of_the_iteration_number_near_miss(%x: tensor<100x1xf32>, %a: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %zero = ov.constant dense<0.0> : tensor<1x1xf32> : tensor<1x1xf32>
  %half = ov.constant dense<0.5> : tensor<1x1xf32> : tensor<1x1xf32>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x1xf32>) -> (tensor<1x1xf32>, tensor<100x1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x1xf32>):
    %r = ov.subtract %p, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %positive = ov.greater %r, %zero : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %less = ov.multiply %r, %half : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %w = ov.select %positive, %less, %p : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    ov.next carried(%w : tensor<1x1xf32>) concat(%r : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// A map of each element of each row is done without loops.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @map_in_two_loops(
// CHECK-NEXT: %column = ov.constant dense<[100, 50, 1]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %column_1 = ov.reshape %x, %column : (tensor<100x50xf32>, tensor<3xi64>) -> tensor<100x50x1xf32>
// CHECK-NEXT: %s = ov.multiply %column_1, %b : (tensor<100x50x1xf32>, tensor<1x1xf32>) -> tensor<100x50x1xf32>
// CHECK-NEXT: %t = ov.tanh %s : (tensor<100x50x1xf32>) -> tensor<100x50x1xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 50]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %row = ov.reshape %t, %0 : (tensor<100x50x1xf32>, tensor<2xi64>) -> tensor<100x50xf32>
// CHECK-NEXT: func.return %row : tensor<100x50xf32>
// CHECK-NEXT: }
func.func @map_in_two_loops(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x50xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x50xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %inner = ov.loop sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<50x1xf32>) -> tensor<50x1xf32> {
    ^bb1(%j: tensor<i64>, %q: tensor<1x1xf32>):
      %s = ov.multiply %q, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %t = ov.tanh %s : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next concat(%t : tensor<1x1xf32>)
    }
    %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
    ov.next concat(%row : tensor<1x50xf32>)
  }
  func.return %all : tensor<100x50xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @map_in_two_loops_near_miss(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> (tensor<1x1xf32>, tensor<100x50xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
// CHECK-NEXT: %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
// CHECK-NEXT: %start = ov.tanh %v : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %u_end, %inner = ov.loop carried(%start) sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> (tensor<1x1xf32>, tensor<50x1xf32>) {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
// CHECK-NEXT: %s = ov.multiply %q, %u : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %t = ov.tanh %s : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.next carried(%t : tensor<1x1xf32>) concat(%t : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
// CHECK-NEXT: ov.next carried(%u_end : tensor<1x1xf32>) concat(%row : tensor<1x50xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x50xf32>
// CHECK-NEXT: }
// The inner loop continues with what it made of the element before, and with the row before.
func.func @map_in_two_loops_near_miss(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x50xf32> {
  %v_end, %all = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> (tensor<1x1xf32>, tensor<100x50xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %start = ov.tanh %v : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %u_end, %inner = ov.loop carried(%start) sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> (tensor<1x1xf32>, tensor<50x1xf32>) {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %s = ov.multiply %q, %u : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %t = ov.tanh %s : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%t : tensor<1x1xf32>) concat(%t : tensor<1x1xf32>)
    }
    %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
    ov.next carried(%u_end : tensor<1x1xf32>) concat(%row : tensor<1x50xf32>)
  }
  func.return %all : tensor<100x50xf32>
}

// -----

// A branch on a slice, with arms that cannot fail, selects between results for the whole axis.
// Asked: at most 0 ov.loop, at most 0 ov.if.
// CHECK-LABEL: func.func @map_with_a_branch(
// CHECK-NEXT: %flat = ov.constant dense<100> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %flat_1 = ov.reshape %x, %flat : (tensor<100x1xf32>, tensor<1xi64>) -> tensor<100xf32>
// CHECK-NEXT: %0 = ov.constant dense<0.000000e+00> : tensor<1xf32> : tensor<1xf32>
// CHECK-NEXT: %positive = ov.greater %flat_1, %0 : (tensor<100xf32>, tensor<1xf32>) -> tensor<100xi1>
// CHECK-NEXT: %t = ov.tanh %x : (tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %t_1 = ov.abs %x : (tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %1 = ov.constant dense<[100, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %2 = ov.reshape %positive, %1 : (tensor<100xi1>, tensor<2xi64>) -> tensor<100x1xi1>
// CHECK-NEXT: %r = ov.select %2, %t, %t_1 : (tensor<100x1xi1>, tensor<100x1xf32>, tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: func.return %r : tensor<100x1xf32>
// CHECK-NEXT: }
func.func @map_with_a_branch(%x: tensor<100x1xf32>) -> tensor<100x1xf32> {
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x1xf32>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>):
    %flat = ov.reshape %p, %one : (tensor<1x1xf32>, tensor<1xi64>) -> tensor<1xf32>
    %positive = ov.greater %flat, %zero : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %taken = ov.reshape %positive, %none : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    %r = ov.if %taken -> (tensor<1x1xf32>) {
      %t = ov.tanh %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.yield %t : tensor<1x1xf32>
    } else {
      %t = ov.abs %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.yield %t : tensor<1x1xf32>
    }
    ov.next concat(%r : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @map_with_a_branch_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %zero = ov.constant dense<0.000000e+00> : tensor<1xf32> : tensor<1xf32>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %all = ov.loop sliced(%x, %k) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x1xf32>, tensor<100x1xi64>) -> tensor<100x1xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>, %at: tensor<1x1xi64>):
// CHECK-NEXT: %flat = ov.reshape %p, %one : (tensor<1x1xf32>, tensor<1xi64>) -> tensor<1xf32>
// CHECK-NEXT: %positive = ov.greater %flat, %zero : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
// CHECK-NEXT: %none = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %taken = ov.reshape %positive, %none : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %taken -> (tensor<1x1xf32>) {
// CHECK-NEXT: %t = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1x1xi64>, tensor<i64>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.yield %t : tensor<1x1xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %p : tensor<1x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next concat(%r : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x1xf32>
// CHECK-NEXT: }
// An arm may fail: it must not run for the other parts.
func.func @map_with_a_branch_near_miss(%x: tensor<100x1xf32>, %k: tensor<100x1xi64>, %y: tensor<4xf32>) -> tensor<100x1xf32> {
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %all = ov.loop sliced(%x, %k) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x1xf32>, tensor<100x1xi64>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>, %at: tensor<1x1xi64>):
    %flat = ov.reshape %p, %one : (tensor<1x1xf32>, tensor<1xi64>) -> tensor<1xf32>
    %positive = ov.greater %flat, %zero : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %taken = ov.reshape %positive, %none : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    %r = ov.if %taken -> (tensor<1x1xf32>) {
      %t = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1x1xi64>, tensor<i64>) -> tensor<1x1xf32>
      ov.yield %t : tensor<1x1xf32>
    } else {
      ov.yield %p : tensor<1x1xf32>
    }
    ov.next concat(%r : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// What neither reads a carried value nor gives one leaves the loop, for all slices at once.
// Asked: at most 0 ov.exp in ov.loop.
// CHECK-LABEL: func.func @fission_of_a_map(
// CHECK-NEXT: %r = ov.exp %y : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v_end, %r : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
func.func @fission_of_a_map(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %v_end, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.exp %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
  }
  func.return %v_end, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop.
// CHECK-LABEL: func.func @fission_of_a_map_near_miss(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %t = ov.multiply %q, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %r = ov.exp %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.add %r, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v_end, %all : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
// The recurrence reads the other part, and the other part the recurrence.
func.func @fission_of_a_map_near_miss(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %v_end, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %t = ov.multiply %q, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.exp %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.add %r, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%r : tensor<1x4xf32>)
  }
  func.return %v_end, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// What is made of a carried value, and is only joined, is made of all its values behind the loop.
// Asked: at most 0 ov.exp in ov.loop, at most 0 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @fission_behind_a_recurrence(
// CHECK-NEXT: %v_end, %0 = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>) concat(%w : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %e = ov.exp %0 : (tensor<100x16xf32>) -> tensor<100x16xf32>
// CHECK-NEXT: %1 = ov.constant dense<[100, 1, 16]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %2 = ov.reshape %e, %1 : (tensor<100x16xf32>, tensor<3xi64>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %r = ov.mat_mul %2, %b : (tensor<100x1x16xf32>, tensor<16x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %3 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %all = ov.reshape %r, %3 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: func.return %all : tensor<100x16xf32>
// CHECK-NEXT: }
func.func @fission_behind_a_recurrence(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<100x16xf32> {
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w : tensor<1x16xf32>) concat(%r : tensor<1x16xf32>)
  }
  func.return %all : tensor<100x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop, at least 1 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @fission_behind_a_recurrence_near_miss(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%r : tensor<1x16xf32>) concat(%r : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x16xf32>
// CHECK-NEXT: }
// The next trip reads the product.
func.func @fission_behind_a_recurrence_near_miss(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<100x16xf32> {
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %s = ov.multiply %v, %p : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %w : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%r : tensor<1x16xf32>) concat(%r : tensor<1x16xf32>)
  }
  func.return %all : tensor<100x16xf32>
}

// -----

// What a recurrence adds in each trip is computed for all slices before the loop.
// Asked: at most 0 ov.exp in ov.loop, at most 0 ov.mat_mul in ov.loop, at most 0 ov.relu in ov.loop.
// CHECK-LABEL: func.func @fission_of_work_before_a_recurrence(
// CHECK-NEXT: %e = ov.exp %x : (tensor<100x16xf32>) -> tensor<100x16xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1, 16]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %1 = ov.reshape %e, %0 : (tensor<100x16xf32>, tensor<3xi64>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %m = ov.mat_mul %1, %b : (tensor<100x1x16xf32>, tensor<16x16xf32>) -> tensor<100x1x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<[100, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.reshape %m, %2 : (tensor<100x1x16xf32>, tensor<2xi64>) -> tensor<100x16xf32>
// CHECK-NEXT: %r = ov.relu %3 : (tensor<100x16xf32>) -> tensor<100x16xf32>
// CHECK-NEXT: %v_end = ov.loop carried(%a) sliced(%r) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %r_1: tensor<1x16xf32>):
// CHECK-NEXT: %s = ov.add %v, %r_1 : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v_end : tensor<1x16xf32>
// CHECK-NEXT: }
func.func @fission_of_work_before_a_recurrence(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %r = ov.relu %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %v, %r : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w : tensor<1x16xf32>)
  }
  func.return %v_end : tensor<1x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop, at least 1 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @fission_of_work_before_a_recurrence_near_miss(
// CHECK-NEXT: %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
// CHECK-NEXT: %q = ov.add %p, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %e = ov.exp %q : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.relu %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %s = ov.add %v, %r : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v_end : tensor<1x16xf32>
// CHECK-NEXT: }
// The product reads the state.
func.func @fission_of_work_before_a_recurrence_near_miss(%x: tensor<100x16xf32>, %a: tensor<1x16xf32>, %b: tensor<16x16xf32>) -> tensor<1x16xf32> {
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x16xf32>) -> tensor<1x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x16xf32>):
    %q = ov.add %p, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %e = ov.exp %q : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %r = ov.relu %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %v, %r : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %s : (tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%w : tensor<1x16xf32>)
  }
  func.return %v_end : tensor<1x16xf32>
}

// -----

// Of two carried values that do not read each other one is a sum, which needs no loop.
// Asked: at most 1 carried values, at most 0 ov.add in ov.loop.
// CHECK-LABEL: func.func @fission_of_carried_values(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_sum %x, %0 {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %s = ov.add %a, %1 : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %v_end = ov.loop carried(%b) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %t = ov.multiply %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s, %v_end : tensor<1x4xi64>, tensor<1x4xf32>
// CHECK-NEXT: }
func.func @fission_of_carried_values(%x: tensor<100x4xi64>, %y: tensor<100x4xf32>, %a: tensor<1x4xi64>, %b: tensor<1x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  %u_end, %v_end = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<100x4xi64>, tensor<100x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xi64>, %v: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
    %s = ov.add %u, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %t = ov.multiply %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s, %w : tensor<1x4xi64>, tensor<1x4xf32>)
  }
  func.return %u_end, %v_end : tensor<1x4xi64>, tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values, at least 1 ov.add in ov.loop.
// CHECK-LABEL: func.func @fission_of_carried_values_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0.000000e+00> : tensor<1x4xf32> : tensor<1x4xf32>
// CHECK-NEXT: %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
// CHECK-NEXT: %u_end, %v_end = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<100x4xi64>, tensor<100x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %u: tensor<1x4xi64>, %v: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %positive = ov.greater %v, %zero : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
// CHECK-NEXT: %step = ov.select %positive, %p, %none : (tensor<1x4xi1>, tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %s = ov.add %u, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %number = ov.convert %u {destination_type = f32} : (tensor<1x4xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %t = ov.multiply %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.subtract %t, %number : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s, %w : tensor<1x4xi64>, tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %u_end, %v_end : tensor<1x4xi64>, tensor<1x4xf32>
// CHECK-NEXT: }
// Each of the carried values reads the other one.
func.func @fission_of_carried_values_near_miss(%x: tensor<100x4xi64>, %y: tensor<100x4xf32>, %a: tensor<1x4xi64>, %b: tensor<1x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %none = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
  %u_end, %v_end = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<100x4xi64>, tensor<100x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xi64>, %v: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
    %positive = ov.greater %v, %zero : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %step = ov.select %positive, %p, %none : (tensor<1x4xi1>, tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %s = ov.add %u, %step : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %number = ov.convert %u {destination_type = f32} : (tensor<1x4xi64>) -> tensor<1x4xf32>
    %t = ov.multiply %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.subtract %t, %number : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s, %w : tensor<1x4xi64>, tensor<1x4xf32>)
  }
  func.return %u_end, %v_end : tensor<1x4xi64>, tensor<1x4xf32>
}

// -----

// Two loops of equal trips that do not read each other are one.
// Asked: at most 1 ov.loop.
// CHECK-LABEL: func.func @fusion_of_siblings(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %p_1 = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q, %q_1 : tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
func.func @fusion_of_siblings(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  %s = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
    %p = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 ov.loop.
// CHECK-LABEL: func.func @fusion_of_siblings_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.loop trip(%n) carried(%r) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p_1 = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// The second loop begins with what the first one ends with.
func.func @fusion_of_siblings_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  %s = ov.loop trip(%n) carried(%r) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
    %p = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two loops over the slices of two inputs of equal extents are one.
// Asked: at most 1 ov.loop.
// CHECK-LABEL: func.func @fusion_of_siblings_that_slice(
// CHECK-NEXT: %r, %t = ov.loop carried(%a, %a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s_1 = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.tanh %s_1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w, %w_1 : tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %t : tensor<1x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: }
func.func @fusion_of_siblings_that_slice(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %t : tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 2 ov.loop, at least 1 conditions of loops.
// CHECK-LABEL: func.func @fusion_of_siblings_that_slice_near_miss(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %t = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %s_1 = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.tanh %s_1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.reduce_max %w_1, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %m, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w_1 : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %t : tensor<1x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: }
// A condition on its own data may end the second loop: the trips differ.
func.func @fusion_of_siblings_that_slice_near_miss(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>, %most: tensor<f32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.reduce_max %w, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
    %again = ov.less %m, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %t : tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// A loop and the loop that slices an elementwise function of what it joins are one.
// Asked: at most 1 ov.loop, at most 0 concatenations.
// CHECK-LABEL: func.func @fusion_through_elementwise(
// CHECK-NEXT: %r, %t = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.exp %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.multiply %e, %b : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s_1 = ov.subtract %m, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.tanh %s_1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w, %w_1 : tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %t : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @fusion_through_elementwise(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %e = ov.exp %all : (tensor<100x4xf32>) -> tensor<100x4xf32>
  %m = ov.multiply %e, %b : (tensor<100x4xf32>, tensor<4xf32>) -> tensor<100x4xf32>
  %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 2 ov.loop.
// CHECK-LABEL: func.func @fusion_through_elementwise_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.subtract %all, %most : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %s_1 = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.tanh %s_1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w_1 : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %t : tensor<1x4xf32>
// CHECK-NEXT: }
// What is between needs all parts: it subtracts their greatest.
func.func @fusion_through_elementwise_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %m = ov.subtract %all, %most : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xf32>
  %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t : tensor<1x4xf32>
}

// -----

// A loop and the loop that slices what it joins are one where that is a result too.
// Asked: at most 1 ov.loop.
// CHECK-LABEL: func.func @fusion_where_the_middle_is_a_result(
// CHECK-NEXT: %r, %t, %all = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s_1 = ov.subtract %w, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.tanh %s_1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w, %w_1 : tensor<1x4xf32>, tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %t, %all : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
func.func @fusion_where_the_middle_is_a_result(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 2 ov.loop.
// CHECK-LABEL: func.func @fusion_where_the_middle_is_a_result_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %t = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
// CHECK-NEXT: %s_1 = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.tanh %s_1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w_1 : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %t, %all : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
// The second loop begins at the end of what the first one joins.
func.func @fusion_where_the_middle_is_a_result_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb1(%j: tensor<i64>, %u: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.subtract %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// A recurrence for each row is one recurrence over vectors of all rows.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.loop, at most 5 iterations in %.
// CHECK-LABEL: func.func @interchange_rows_and_steps(
// CHECK-NEXT: %column = ov.constant dense<[100, 50, 1]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %column_1 = ov.reshape %x, %column : (tensor<100x50xf32>, tensor<3xi64>) -> tensor<100x50x1xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.broadcast %b, %0 : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<100x1xf32>
// CHECK-NEXT: %s_end = ov.loop carried(%1) sliced(%column_1) {slices = [#ov.slice<axis = 1>]} : (tensor<100x1xf32>, tensor<100x50x1xf32>) -> tensor<100x1xf32> {
// CHECK-NEXT: ^bb0(%2: tensor<i64>, %3: tensor<100x1xf32>, %4: tensor<100x1x1xf32>):
// CHECK-NEXT: %5 = ov.reshape %4, %0 : (tensor<100x1x1xf32>, tensor<2xi64>) -> tensor<100x1xf32>
// CHECK-NEXT: %t = ov.multiply %3, %5 : (tensor<100x1xf32>, tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %u = ov.add %t, %b : (tensor<100x1xf32>, tensor<1x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %w = ov.tanh %u : (tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<100x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s_end : tensor<100x1xf32>
// CHECK-NEXT: }
func.func @interchange_rows_and_steps(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s_end = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %u = ov.add %t, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %u : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @interchange_rows_and_steps_near_miss(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>, tensor<100x1xf32>) -> (tensor<1x1xf32>, tensor<100x1xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>, %f: tensor<1x1xf32>):
// CHECK-NEXT: %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
// CHECK-NEXT: %start = ov.multiply %v, %f : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %s_end = ov.loop carried(%start) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
// CHECK-NEXT: %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %u = ov.add %t, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %w = ov.tanh %u : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%s_end : tensor<1x1xf32>) concat(%s_end : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x1xf32>
// CHECK-NEXT: }
// A row begins with what the row before ends with, times its own first element.
func.func @interchange_rows_and_steps_near_miss(%x: tensor<100x50xf32>, %y: tensor<100x1xf32>, %b: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %v_end, %all = ov.loop carried(%b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>, tensor<100x1xf32>) -> (tensor<1x1xf32>, tensor<100x1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>, %f: tensor<1x1xf32>):
    %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %start = ov.multiply %v, %f : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %s_end = ov.loop carried(%start) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %u = ov.add %t, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %u : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next carried(%s_end : tensor<1x1xf32>) concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// A recurrence for each row that joins all its states is one that joins vectors.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.loop, at most 5 iterations in %.
// CHECK-LABEL: func.func @interchange_of_rows_that_write_all_steps(
// CHECK-NEXT: %column = ov.constant dense<[100, 50, 1]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %column_1 = ov.reshape %x, %column : (tensor<100x50xf32>, tensor<3xi64>) -> tensor<100x50x1xf32>
// CHECK-NEXT: %0 = ov.constant dense<[100, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.broadcast %b, %0 : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<100x1xf32>
// CHECK-NEXT: %s_end, %inner = ov.loop carried(%1) sliced(%column_1) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<100x1xf32>, tensor<100x50x1xf32>) -> (tensor<100x1xf32>, tensor<100x50x1xf32>) {
// CHECK-NEXT: ^bb0(%2: tensor<i64>, %3: tensor<100x1xf32>, %4: tensor<100x1x1xf32>):
// CHECK-NEXT: %5 = ov.reshape %4, %0 : (tensor<100x1x1xf32>, tensor<2xi64>) -> tensor<100x1xf32>
// CHECK-NEXT: %t = ov.multiply %3, %5 : (tensor<100x1xf32>, tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %w = ov.tanh %t : (tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %6 = ov.constant dense<[100, 1, 1]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %7 = ov.reshape %w, %6 : (tensor<100x1xf32>, tensor<3xi64>) -> tensor<100x1x1xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<100x1xf32>) concat(%7 : tensor<100x1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %8 = ov.constant dense<[100, 50]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %row = ov.reshape %inner, %8 : (tensor<100x50x1xf32>, tensor<2xi64>) -> tensor<100x50xf32>
// CHECK-NEXT: func.return %row : tensor<100x50xf32>
// CHECK-NEXT: }
func.func @interchange_of_rows_that_write_all_steps(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x50xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x50xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s_end, %inner = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> (tensor<1x1xf32>, tensor<50x1xf32>) {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>) concat(%w : tensor<1x1xf32>)
    }
    %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
    ov.next concat(%row : tensor<1x50xf32>)
  }
  func.return %all : tensor<100x50xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @interchange_of_rows_that_write_all_steps_near_miss(
// CHECK-NEXT: %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x1xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
// CHECK-NEXT: %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %none = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
// CHECK-NEXT: %s_end = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
// CHECK-NEXT: %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %small = ov.less %w, %most : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
// CHECK-NEXT: %again = ov.reshape %small, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next concat(%s_end : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x1xf32>
// CHECK-NEXT: }
// A condition on the row's own data ends its steps.
func.func @interchange_of_rows_that_write_all_steps_near_miss(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>, %most: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s_end = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      %small = ov.less %w, %most : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
      %again = ov.reshape %small, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
      ov.next while(%again) carried(%w : tensor<1x1xf32>)
    }
    ov.next concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// A nest that only hands one state on is one loop of the product of the trips.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.loop.
// CHECK-LABEL: func.func @collapse_of_a_nest(
// CHECK-NEXT: %0 = ov.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<30> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.multiply %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.constant dense<9223372036854775807> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %5 = ov.constant dense<307445734561825860> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %6 = ov.greater %1, %5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %7 = ov.select %6, %4, %3 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%7) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @collapse_of_a_nest(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %m = ov.constant dense<30> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @collapse_of_a_nest_near_miss(
// CHECK-NEXT: %m = ov.constant dense<30> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %t = ov.add %s, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%t : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The outer loop adds a part of its own between the inner ones.
func.func @collapse_of_a_nest_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %m = ov.constant dense<30> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %t = ov.add %s, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.next carried(%t : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A nest over one state whose trips are both inputs is one loop.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.loop.
// CHECK-LABEL: func.func @collapse_of_a_nest_of_dynamic_trips(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %inner = ov.maximum %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %outer = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %0 = ov.multiply %outer, %inner : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %1 = ov.constant dense<9223372036854775807> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.maximum %inner, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.divide %1, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.greater %outer, %4 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %6 = ov.select %5, %1, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%6) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @collapse_of_a_nest_of_dynamic_trips(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %inner = ov.maximum %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %outer = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%outer) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%inner) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @collapse_of_a_nest_of_dynamic_trips_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %outer = ov.maximum %n, %axis : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%outer) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %m = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %t = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%t : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The inner trips are data of the outer trip.
func.func @collapse_of_a_nest_of_dynamic_trips_near_miss(%n: tensor<i64>, %k: tensor<8xi64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %outer = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%outer) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %m = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    %t = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%t : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A nest over rows and their elements with one state is one loop over all elements.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.loop.
// CHECK-LABEL: func.func @collapse_over_all_elements(
// CHECK-NEXT: %0 = ov.constant dense<[5000, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<100x50xf32>, tensor<2xi64>) -> tensor<5000x1xf32>
// CHECK-NEXT: %r = ov.loop carried(%b) sliced(%1) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<5000x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
// CHECK-NEXT: %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x1xf32>
// CHECK-NEXT: }
func.func @collapse_over_all_elements(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s = ov.loop carried(%v) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next carried(%s : tensor<1x1xf32>)
  }
  func.return %r : tensor<1x1xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @collapse_over_all_elements_near_miss(
// CHECK-NEXT: %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %r = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
// CHECK-NEXT: %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
// CHECK-NEXT: %s = ov.loop carried(%v) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
// CHECK-NEXT: %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %d = ov.add %s, %s : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: ov.next carried(%d : tensor<1x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x1xf32>
// CHECK-NEXT: }
// The state is doubled from row to row.
func.func @collapse_over_all_elements_near_miss(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s = ov.loop carried(%v) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    %d = ov.add %s, %s : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    ov.next carried(%d : tensor<1x1xf32>)
  }
  func.return %r : tensor<1x1xf32>
}
