// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Two carried values that begin and go on alike are one.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_duplicate(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
func.func @value_duplicate(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = ov.multiply %u, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_duplicate_near_miss(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z = ov.multiply %u, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// They begin as different values.
func.func @value_duplicate_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = ov.multiply %u, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// A counter that begins at 0 and grows by 1 is the iteration number.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_counter_is_the_iteration_number(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_counter_is_the_iteration_number(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %k_next = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_counter_is_the_iteration_number_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %r = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.subtract %f, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %held = ov.less %w, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %more = ov.convert %held {destination_type = i64} : (tensor<i1>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.add %k, %more : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%k_next, %w : tensor<i64>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// It counts the iterations in which something held.
func.func @value_counter_is_the_iteration_number_near_miss(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.subtract %f, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %held = ov.less %w, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = ov.convert %held {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %k_next = ov.add %k, %more : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// A counter with another begin and step is a function of the iteration number.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_affine_in_the_iteration_number(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %0 = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.multiply %i, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %k = ov.add %m, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_affine_in_the_iteration_number(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %k_next = ov.add %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_affine_in_the_iteration_number_near_miss(
// CHECK-NEXT: %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %size = ov.subtract %f, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.maximum %size, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %step = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%k_next, %w : tensor<i64>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// The step is the other carried value.
func.func @value_affine_in_the_iteration_number_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %size = ov.subtract %f, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.maximum %size, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %step = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// A counter that is read after the loop only is computed from the trips.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_final_counter(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.multiply %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %k_end = ov.add %m, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %k_end, %r : tensor<i64>, tensor<4xf32>
// CHECK-NEXT: }
func.func @value_final_counter(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %k_end, %r : tensor<i64>, tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_final_counter_near_miss(
// CHECK-NEXT: %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %k_end, %r : tensor<i64>, tensor<f32>
// CHECK-NEXT: }
// A condition on data ends the loop: how often it ran only the run knows.
func.func @value_final_counter_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>, %most: tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%m, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<f32>)
  }
  func.return %k_end, %r : tensor<i64>, tensor<f32>
}

// -----

// A power whose exponent is the iteration number is a carried product.
// Asked: at most 0 ov.power in ov.loop.
// CHECK-LABEL: func.func @value_power_becomes_products(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.power %b, %0 : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %r, %r_1 = ov.loop trip(%n) carried(%x, %1) : (tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xi64>, %p: tensor<4xi64>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: %2 = ov.multiply %p, %b : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: ov.next carried(%w, %2 : tensor<4xi64>, tensor<4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xi64>
// CHECK-NEXT: }
func.func @value_power_becomes_products(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %p = ov.power %b, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %v, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// Near miss. Kept: at least 1 ov.power in ov.loop.
// CHECK-LABEL: func.func @value_power_becomes_products_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
// CHECK-NEXT: %p = ov.power %v, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT: %w = ov.subtract %b, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xi64>
// CHECK-NEXT: }
// The base changes in each iteration.
func.func @value_power_becomes_products_near_miss(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %p = ov.power %v, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.subtract %b, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// A carried value that is handed on as it came is a capture.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_invariant(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %a : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
func.func @value_invariant(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %u : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_invariant_near_miss(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z = ov.abs %u : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// It is handed on changed.
func.func @value_invariant_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = ov.abs %u : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// A carried value that both arms of a branch hand on as it came is a capture.
// Asked: at most 1 carried values of one loop.
// CHECK-LABEL: func.func @value_invariant_through_a_branch(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %v_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %a : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
func.func @value_invariant_through_a_branch(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %w, %z = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %u : tensor<16x16xf32>, tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %u, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %u : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ov.next carried(%w, %z : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 carried values of one loop.
// CHECK-LABEL: func.func @value_invariant_through_a_branch_near_miss(
// CHECK-NEXT: %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1, %a : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2, %s_1 = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>, %u: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %u, %v_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p_1, %v_1 : tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2, %s_1 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// In one arm another value takes its place.
func.func @value_invariant_through_a_branch_near_miss(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %w, %z = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %u : tensor<16x16xf32>, tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %u, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %v : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ov.next carried(%w, %z : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A carried value that is the same constant in every trip is that constant.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_constant(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %f = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_constant(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%two, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %less = ov.subtract %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.add %less, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_constant_near_miss(
// CHECK-NEXT: %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k_end, %r = ov.loop trip(%n) carried(%two, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %less = ov.multiply %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.subtract %less, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// What is taken away is not what is added.
func.func @value_constant_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %k_end, %r = ov.loop trip(%n) carried(%two, %x) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %less = ov.multiply %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k_next = ov.subtract %less, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%k_next, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A carried value that is one from outside after the first trip is not carried: the first trip is peeled.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_invariant_after_the_first_iteration(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<4xf32>) {
// CHECK-NEXT: %w = ov.multiply %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.subtract %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r_1 = ov.loop trip(%3) carried(%w) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w_1 = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w_1 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_invariant_after_the_first_iteration(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %b : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @value_invariant_after_the_first_iteration_near_miss(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z = ov.add %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// It is handed on as what the iteration made.
func.func @value_invariant_after_the_first_iteration_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = ov.add %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Carried values that only feed each other go.
// Asked: at most 1 carried values.
// CHECK-LABEL: func.func @value_dead_through_a_cycle(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_dead_through_a_cycle(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %p_next = ov.add %q, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q_next = ov.multiply %p, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %p_next, %q_next : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 3 carried values.
// CHECK-LABEL: func.func @value_dead_through_a_cycle_near_miss(
// CHECK-NEXT: %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %p_next = ov.add %q, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %q_next = ov.multiply %p, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w, %p_next, %q_next : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %t : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// One value of the cycle is a result.
func.func @value_dead_through_a_cycle_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %p_next = ov.add %q, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q_next = ov.multiply %p, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %p_next, %q_next : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// A carried value that only goes round through an inner loop goes.
// Asked: at most 2 carried values.
// CHECK-LABEL: func.func @value_dead_through_a_nest(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %v1: tensor<4xf32>):
// CHECK-NEXT: %w1 = ov.multiply %v1, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w1 : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_dead_through_a_nest(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w, %z = ov.loop trip(%m) carried(%v, %u) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %v1: tensor<4xf32>, %u1: tensor<4xf32>):
      %w1 = ov.multiply %v1, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %z1 = ov.add %u1, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w1, %z1 : tensor<4xf32>, tensor<4xf32>)
    }
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 4 carried values.
// CHECK-LABEL: func.func @value_dead_through_a_nest_near_miss(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT: %w, %z = ov.loop trip(%m) carried(%v, %u) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %v1: tensor<4xf32>, %u1: tensor<4xf32>):
// CHECK-NEXT: %w1 = ov.multiply %v1, %u1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z1 = ov.add %u1, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w1, %z1 : tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The other carried value reads it.
func.func @value_dead_through_a_nest_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w, %z = ov.loop trip(%m) carried(%v, %u) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %v1: tensor<4xf32>, %u1: tensor<4xf32>):
      %w1 = ov.multiply %v1, %u1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %z1 = ov.add %u1, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w1, %z1 : tensor<4xf32>, tensor<4xf32>)
    }
    ov.next carried(%w, %z : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A carried value that only goes round through a branch goes.
// Asked: at most 1 carried values of one loop, at most 1 results of ov.if.
// CHECK-LABEL: func.func @value_dead_through_a_branch(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %v_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @value_dead_through_a_branch(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %w, %z = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.mat_mul %u, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ov.next carried(%w, %z : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 carried values of one loop.
// CHECK-LABEL: func.func @value_dead_through_a_branch_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.mat_mul %u, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p, %q : tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %v_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// One arm mixes it into what is used.
func.func @value_dead_through_a_branch_near_miss(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %w, %z = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.mat_mul %u, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ov.next carried(%w, %z : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A slice that is all of its input is no slice.
// Asked: at most 0 slices, at most 0 ov.loop.
// CHECK-LABEL: func.func @value_slice_that_is_the_whole(
// CHECK-NEXT: %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %s = ov.reduce_sum %x, %front : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.add %a, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %w : tensor<4xf32>
// CHECK-NEXT: }
func.func @value_slice_that_is_the_whole(%x: tensor<8x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, stride = 8, part_size = 8>]} : (tensor<4xf32>, tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<8x4xf32>):
    %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %s = ov.reduce_sum %p, %front : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 slices.
// CHECK-LABEL: func.func @value_slice_that_is_the_whole_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, stride = 8, part_size = 8>]} : (tensor<4xf32>, tensor<1024x4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<8x4xf32>):
// CHECK-NEXT: %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %s = ov.reduce_sum %p, %front : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The part is one of many.
func.func @value_slice_that_is_the_whole_near_miss(%x: tensor<1024x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, stride = 8, part_size = 8>]} : (tensor<4xf32>, tensor<1024x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<8x4xf32>):
    %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %s = ov.reduce_sum %p, %front : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Slices that are joined as they came are the input.
// Asked: at most 0 concatenations.
// CHECK-LABEL: func.func @value_concat_of_the_slices(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reduce_max %x, %0 {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.maximum %a, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %w, %x : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
func.func @value_concat_of_the_slices(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%p : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @value_concat_of_the_slices_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %all : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
// What is joined is the greatest part so far.
func.func @value_concat_of_the_slices_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// A value from outside that each trip joins is broadcast.
// Asked: at most 0 concatenations.
// CHECK-LABEL: func.func @value_concat_of_an_invariant(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.maximum %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.multiply %2, %1 : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
// CHECK-NEXT: %4 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %5 = ov.add %3, %4 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK-NEXT: %all = ov.tile %a, %5 : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %all : tensor<4xf32>, tensor<?x4xf32>
// CHECK-NEXT: }
func.func @value_concat_of_an_invariant(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>) concat(%a : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<4xf32>, tensor<?x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @value_concat_of_an_invariant_near_miss(
// CHECK-NEXT: %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%v : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
// CHECK-NEXT: }
// What is joined changes.
func.func @value_concat_of_an_invariant_near_miss(%n: tensor<i64>, %x: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %w = ov.multiply %v, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%v : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// A linear function of the iteration number that each trip joins is a range.
// Asked: at most 0 concatenations.
// CHECK-LABEL: func.func @value_concat_of_a_linear_value(
// CHECK-NEXT: %0 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %2 = ov.maximum %n, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %3 = ov.range %1, %2, %0 {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT: %4 = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %k = ov.multiply %3, %4 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT: %5 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %l = ov.add %k, %5 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %l : tensor<4xf32>, tensor<?xi64>
// CHECK-NEXT: }
func.func @value_concat_of_a_linear_value(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi64>) {
  %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k = ov.multiply %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %p = ov.unsqueeze %l, %front : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next carried(%w : tensor<4xf32>) concat(%p : tensor<1xi64>)
  }
  func.return %r, %all : tensor<4xf32>, tensor<?xi64>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @value_concat_of_a_linear_value_near_miss(
// CHECK-NEXT: %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1xi64>):
// CHECK-NEXT: %s = ov.multiply %v, %v : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %w = ov.subtract %b, %s : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: ov.next carried(%w : tensor<1xi64>) concat(%w : tensor<1xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %all : tensor<1xi64>, tensor<?xi64>
// CHECK-NEXT: }
// What is joined is a sum of data.
func.func @value_concat_of_a_linear_value_near_miss(%n: tensor<i64>, %x: tensor<1xi64>, %b: tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xi64>):
    %s = ov.multiply %v, %v : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %w = ov.subtract %b, %s : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next carried(%w : tensor<1xi64>) concat(%w : tensor<1xi64>)
  }
  func.return %r, %all : tensor<1xi64>, tensor<?xi64>
}

// -----

// Of joined parts of which only the last is read none is joined.
// Asked: at most 0 concatenations.
// CHECK-LABEL: func.func @value_last_part_of_a_concat(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.abs %r : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %s = ov.gather %q, %0, %axis : (tensor<1x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %s : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @value_last_part_of_a_concat(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %last = ov.constant dense<99> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.abs %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  %s = ov.gather %all, %last, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  func.return %s : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @value_last_part_of_a_concat_near_miss(
// CHECK-NEXT: %middle = ov.constant dense<50> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %q = ov.abs %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.gather %all, %middle, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
// CHECK-NEXT: %t = ov.add %s, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %t : tensor<1x4xf32>
// CHECK-NEXT: }
// A part from the middle.
func.func @value_last_part_of_a_concat_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %middle = ov.constant dense<50> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.abs %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  %s = ov.gather %all, %middle, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %t = ov.add %s, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return %t : tensor<1x4xf32>
}

// -----

// What one loop joins and only the next one cuts in the same way is handed on within one loop.
// Asked: at most 0 concatenations, at most 1 ov.loop.
// CHECK-LABEL: func.func @value_concat_that_the_next_loop_slices(
// CHECK-NEXT: %r, %s = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %v_1: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.maximum %v_1, %w : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w, %w_1 : tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @value_concat_that_the_next_loop_slices(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations, at least 2 ov.loop.
// CHECK-LABEL: func.func @value_concat_that_the_next_loop_slices_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<1x4xf32>, %p_1: tensor<1x4xf32>):
// CHECK-NEXT: %w_1 = ov.subtract %p_1, %v_1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w_1 : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : tensor<1x4xf32>
// CHECK-NEXT: }
// The second loop begins at the end.
func.func @value_concat_that_the_next_loop_slices_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%a) sliced(%all) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// -----

// Joined parts that nothing reads go.
// Asked: at most 0 concatenations, at most 0 ov.exp.
// CHECK-LABEL: func.func @value_unused_concat(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @value_unused_concat(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %w = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%e : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @value_unused_concat_near_miss(
// CHECK-NEXT: %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.exp %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>) concat(%e : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
// CHECK-NEXT: }
// The concatenation is a result.
func.func @value_unused_concat_near_miss(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %w = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%e : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// A slice that nothing reads goes if another one says the trips.
// Asked: at most 1 slices.
// CHECK-LABEL: func.func @value_unread_slice(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @value_unread_slice(%x: tensor<100x4xf32>, %b: tensor<100x2xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x, %b) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x2xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x2xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @value_unread_slice_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%b) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x2xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x2xf32>):
// CHECK-NEXT: %w = ov.subtract %x, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// The slice that nothing reads is the only one: it says how often the loop runs.
func.func @value_unread_slice_near_miss(%b: tensor<100x2xf32>, %a: tensor<1x4xf32>, %x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%b) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x2xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x2xf32>):
    %w = ov.subtract %x, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}
