// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// What is the same in every trip is computed before the loop.
// Asked: at most 0 ov.exp in ov.loop.
// CHECK-LABEL: func.func @motion_invariant(
// CHECK-NEXT: %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_invariant(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop.
// CHECK-LABEL: func.func @motion_invariant_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.multiply %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// It is a function of a carried value.
func.func @motion_invariant_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A chain of operations on one value from outside moves before the loop.
// Asked: at most 0 ov.exp in ov.loop, at most 0 ov.abs in ov.loop, at most 0 ov.tanh in ov.loop.
// CHECK-LABEL: func.func @motion_chain(
// CHECK-NEXT: %s = ov.abs %a : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_chain(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop, at least 1 ov.tanh in ov.loop.
// CHECK-LABEL: func.func @motion_chain_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %s = ov.multiply %a, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.multiply %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The chain begins with the iteration number.
func.func @motion_chain_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %s = ov.multiply %a, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// What no loop around it changes moves before all of them.
// Asked: at most 0 ov.exp in ov.loop.
// CHECK-LABEL: func.func @motion_out_of_two_loops(
// CHECK-NEXT: %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %u, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%s : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_out_of_two_loops(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %u, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop.
// CHECK-LABEL: func.func @motion_out_of_two_loops_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %e = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.multiply %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%s : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// It changes with the inner loop's own number.
func.func @motion_out_of_two_loops_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// What only the outer loop changes moves out of the inner one.
// Asked: at most 0 ov.exp in two loops.
// CHECK-LABEL: func.func @motion_into_the_outer_loop(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %u, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%s : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_into_the_outer_loop(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %u, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in two loops.
// CHECK-LABEL: func.func @motion_into_the_outer_loop_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %e = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%s : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The operand is carried by both loops.
func.func @motion_into_the_outer_loop_near_miss(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Out of a loop that may not run moves what cannot fail.
// Asked: at most 0 ov.exp in ov.loop.
// CHECK-LABEL: func.func @motion_out_of_a_while(
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %e = ov.exp %a : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %s = ov.add %v, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @motion_out_of_a_while(%c: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %e = ov.exp %a : (tensor<f32>) -> tensor<f32>
    %s = ov.add %v, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.gather guarded.
// CHECK-LABEL: func.func @motion_out_of_a_while_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %e = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %size = ov.abs %e : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %s = ov.add %v, %size : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%again) carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// An operation that may fail, in a loop that may not run.
func.func @motion_out_of_a_while_near_miss(%c: tensor<i1>, %k: tensor<i64>, %most: tensor<f32>, %x: tensor<f32>, %a: tensor<4xf32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %e = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %size = ov.abs %e : (tensor<f32>) -> tensor<f32>
    %s = ov.add %v, %size : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// An operation that may fail, but not with what is known of its operands, moves before the loop.
// Asked: at most 0 ov.gather in ov.loop.
// CHECK-LABEL: func.func @motion_of_what_cannot_fail_here(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %within = ov.clamp %k {min = 0.000000e+00 : f64, max = 3.000000e+00 : f64} : (tensor<4xi64>) -> tensor<4xi64>
// CHECK-NEXT: %g = ov.gather %a, %within, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.multiply %v, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_of_what_cannot_fail_here(%n: tensor<i64>, %k: tensor<4xi64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %within = ov.clamp %k {min = 0.0 : f64, max = 3.0 : f64} : (tensor<4xi64>) -> tensor<4xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %within, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.multiply %v, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.gather guarded.
// CHECK-LABEL: func.func @motion_of_what_cannot_fail_here_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %w = ov.multiply %v, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The positions may be outside, and the loop may not run.
func.func @motion_of_what_cannot_fail_here_near_miss(%n: tensor<i64>, %k: tensor<4xi64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.multiply %v, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// What may fail moves out of a loop that surely runs, where it is the first that may.
// Asked: at most 0 ov.gather in ov.loop.
// CHECK-LABEL: func.func @motion_where_the_loop_surely_runs(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.subtract %g, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_where_the_loop_surely_runs(%k: tensor<4xi64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.subtract %g, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.gather in ov.if.
// CHECK-LABEL: func.func @motion_where_the_loop_surely_runs_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%x) sliced(%c) {slices = [#ov.slice<axis = 0, end = 1000>]} : (tensor<i64>, tensor<16x16xf32>, tensor<1000xi1>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %0: tensor<1xi1>):
// CHECK-NEXT: %1 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %d = ov.reshape %0, %1 : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
// CHECK-NEXT: %p = ov.mat_mul %v, %g : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %v : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%w : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// An If around it is not taken in every iteration.
func.func @motion_where_the_loop_surely_runs_near_miss(%k: tensor<16xi64>, %c: tensor<1000xi1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %trips = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %d = ov.gather %c, %i, %axis {out_of_range = "error"} : (tensor<1000xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %d -> (tensor<16x16xf32>) {
      %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
      %p = ov.mat_mul %v, %g : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    } else {
      ov.yield %v : tensor<16x16xf32>
    }
    ov.next carried(%w : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What may fail, and what needs it, moves before a loop that may not run, under its own condition.
// Asked: at most 0 ov.gather in ov.loop, at most 1 ov.mat_mul in ov.loop.
// CHECK-LABEL: func.func @motion_of_what_may_fail_under_a_guard(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.not_equal %n, %axis : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %0 -> (tensor<16x16xf32>) {
// CHECK-NEXT: %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
// CHECK-NEXT: %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @motion_of_what_may_fail_under_a_guard(%n: tensor<i64>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.gather in ov.loop.
// CHECK-LABEL: func.func @motion_of_what_may_fail_under_a_guard_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %l = ov.subtract %k, %i : (tensor<16xi64>, tensor<i64>) -> tensor<16xi64>
// CHECK-NEXT: %g = ov.gather %v, %l, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
// CHECK-NEXT: %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The positions are of the iteration.
func.func @motion_of_what_may_fail_under_a_guard_near_miss(%n: tensor<i64>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %l = ov.subtract %k, %i : (tensor<16xi64>, tensor<i64>) -> tensor<16xi64>
    %g = ov.gather %v, %l, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A branch that reads nothing of the loop moves before it.
// Asked: at most 0 ov.if in ov.loop.
// CHECK-LABEL: func.func @motion_of_a_branch(
// CHECK-NEXT: %s = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %w = ov.mat_mul %v, %s : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @motion_of_a_branch(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %w = ov.mat_mul %v, %s : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @motion_of_a_branch_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %d = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<16xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %w = ov.mat_mul %v, %s : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// One arm reads the carried value.
func.func @motion_of_a_branch_near_miss(%n: tensor<i64>, %k: tensor<16xi1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %d = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<16xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %w = ov.mat_mul %v, %s : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A loop that reads nothing of the one around it moves before it.
// Asked: at most 0 ov.loop in ov.loop.
// CHECK-LABEL: func.func @motion_of_a_loop(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<4xf32>) {
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%p : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
func.func @motion_of_a_loop(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop in ov.loop.
// CHECK-LABEL: func.func @motion_of_a_loop_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %s = ov.loop trip(%i) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
// CHECK-NEXT: %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%p : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// The inner loop runs for as long as the outer one has.
func.func @motion_of_a_loop_near_miss(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%i) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A loop of four trips is four copies of its body.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @unroll_few_trips(
// CHECK-NEXT: %w = ov.multiply %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_1 = ov.multiply %w, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_2 = ov.multiply %w_1, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %w_3 = ov.multiply %w_2, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %w_3 : tensor<4xf32>
// CHECK-NEXT: }
func.func @unroll_few_trips(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%four) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @unroll_few_trips_near_miss(
// CHECK-NEXT: %many = ov.constant dense<10000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%many) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
// CHECK-NEXT: %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
// Ten thousand trips would be ten thousand copies.
func.func @unroll_few_trips_near_miss(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %many = ov.constant dense<10000> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%many) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A loop over three slices is three copies.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @unroll_few_slices(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.slice %x, %0, %1, %1, %0 : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.subtract %2, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %3 = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %4 = ov.slice %x, %1, %3, %1, %0 : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_1 = ov.subtract %4, %w : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %5 = ov.constant dense<3> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %6 = ov.slice %x, %3, %5, %1, %0 : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %w_2 = ov.subtract %6, %w_1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %w_2 : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @unroll_few_slices(%x: tensor<3x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @unroll_few_slices_near_miss(
// CHECK-NEXT: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5000x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<1x4xf32>
// CHECK-NEXT: }
// Five thousand slices.
func.func @unroll_few_slices_near_miss(%x: tensor<5000x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5000x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// A branch on the first trip goes: that trip is before the loop.
// Asked: at most 0 ov.if in ov.loop.
// CHECK-LABEL: func.func @peel_first(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.subtract %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r_1 = ov.loop trip(%3) carried(%q) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @peel_first(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %first = ov.equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @peel_first_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %first = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<16xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %first -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Which iteration differs is data.
func.func @peel_first_near_miss(%n: tensor<i64>, %k: tensor<16xi1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %first = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<16xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A branch on the last trip goes: that trip is behind the loop.
// Asked: at most 0 ov.if in ov.loop.
// CHECK-LABEL: func.func @peel_last(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<16x16xf32>) {
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.subtract %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.loop trip(%3) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %p_1 = ov.exp %4 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @peel_last(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %last = ov.equal %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %last -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @peel_last_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %square = ov.multiply %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %found = ov.equal %square, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %found -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The iteration whose square is the trip count differs.
func.func @peel_last_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %square = ov.multiply %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %found = ov.equal %square, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %found -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What is the same in every trip but the first moves before the loop, behind that trip.
// Asked: at most 0 ov.exp in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @peel_first_for_an_invariant(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.not_equal %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %1 -> (tensor<16x16xf32>) {
// CHECK-NEXT: %e = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %w = ov.mat_mul %x, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.subtract %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %e_1 = ov.exp %b : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %r_1 = ov.loop trip(%3) carried(%q) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %w_1 = ov.mat_mul %v, %e_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %w_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %x : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @peel_first_for_an_invariant(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %e = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %w = ov.mat_mul %v, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %b : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.loop, at least 2 carried values.
// CHECK-LABEL: func.func @peel_first_for_an_invariant_near_miss(
// CHECK-NEXT: %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
// CHECK-NEXT: %e = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %w = ov.mat_mul %v, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q, %v : tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// It is another value in each iteration.
func.func @peel_first_for_an_invariant_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<16x16xf32>):
    %e = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %w = ov.mat_mul %v, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %v : tensor<16x16xf32>, tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
