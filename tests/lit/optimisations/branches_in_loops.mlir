// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// A branch whose condition is from outside chooses between two loops.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @unswitch_invariant_condition(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.tanh %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.exp %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @unswitch_invariant_condition(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @unswitch_invariant_condition_near_miss(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %c = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The condition is one of the state, which each trip changes.
func.func @unswitch_invariant_condition_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %c = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A branch on a comparison of values from outside chooses between two loops.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @unswitch_invariant_comparison(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.tanh %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.exp %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @unswitch_invariant_comparison(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @unswitch_invariant_comparison_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %k_end = ov.loop trip(%n) carried(%x, %k) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<i64>):
// CHECK-NEXT: %at = ov.bitwise_and %u, %seven : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %number = ov.gather %y, %at, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %c = ov.less %number, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %u_next = ov.add %u, %number : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%q, %u_next : tensor<16x16xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What is compared is a number at a place that each trip changes.
func.func @unswitch_invariant_comparison_near_miss(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %y: tensor<8xi64>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r, %k_end = ov.loop trip(%n) carried(%x, %k) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %u: tensor<i64>):
    %at = ov.bitwise_and %u, %seven : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %number = ov.gather %y, %at, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.less %number, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %u_next = ov.add %u, %number : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%q, %u_next : tensor<16x16xf32>, tensor<i64>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// `if c and f(v)` is a loop with `if f(v)` where `c`, and one without a branch where not.
// Asked: at most 0 ov.logical_and in ov.loop, at most 1 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @unswitch_part_of_a_conjunction(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %low -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_2 = ov.tanh %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.exp %p_2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @unswitch_part_of_a_conjunction(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = ov.logical_and %c, %low : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %both -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.logical_and, at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @unswitch_part_of_a_conjunction_near_miss(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %half = ov.constant dense<-5.000000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %least = ov.reduce_min %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %high = ov.greater %least, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %both = ov.logical_and %high, %low : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %both -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Both parts are of the state.
func.func @unswitch_part_of_a_conjunction_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %half = ov.constant dense<-0.5> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %least = ov.reduce_min %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %high = ov.greater %least, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = ov.logical_and %high, %low : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %both -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// `if c or f(v)` is a loop without a branch where `c`, and one with `if f(v)` where not.
// Asked: at most 0 ov.logical_or in ov.loop, at most 1 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @unswitch_part_of_a_disjunction(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %r_1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %most = ov.reduce_max %v_1, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %low -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_1 = ov.mat_mul %v_1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.tanh %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q_1 = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %r_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @unswitch_part_of_a_disjunction(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %any = ov.logical_or %c, %low : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %any -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.logical_or, at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @unswitch_part_of_a_disjunction_near_miss(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %half = ov.constant dense<-5.000000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %least = ov.reduce_min %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %high = ov.greater %least, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %any = ov.logical_or %high, %low : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %any -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Both parts are of the state.
func.func @unswitch_part_of_a_disjunction_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %half = ov.constant dense<-0.5> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %most = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %least = ov.reduce_min %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %low = ov.less %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %high = ov.greater %least, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %any = ov.logical_or %high, %low : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %any -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.exp %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// `if i < 5` is a loop of the first five trips, and one of the others.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @split_at_a_constant(
// CHECK-NEXT: %0 = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %2 = ov.constant dense<95> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%2) carried(%1) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.exp %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @split_at_a_constant(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %early = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @split_at_a_constant_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %k_end = ov.loop trip(%trips) carried(%x, %zero) sliced(%flags) {slices = [#ov.slice<axis = 0, end = 100>]} : (tensor<i64>, tensor<16x16xf32>, tensor<i64>, tensor<100xi1>) -> (tensor<16x16xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %k: tensor<i64>, %0: tensor<1xi1>):
// CHECK-NEXT: %1 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %flag = ov.reshape %0, %1 : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: %step = ov.convert %flag {destination_type = i64} : (tensor<i1>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %m = ov.floor_mod %k_next, %five : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %early = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %early -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q, %k_next : tensor<16x16xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What decides is the count of the flags that are true, modulo five: it is data.
func.func @split_at_a_constant_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<100xi1>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %k_end = ov.loop trip(%trips) carried(%x, %zero) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %k: tensor<i64>):
    %flag = ov.gather %flags, %i, %zero : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %step = ov.convert %flag {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = ov.floor_mod %k_next, %five : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %early = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %k_next : tensor<16x16xf32>, tensor<i64>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// `if i < k` is two loops, of which either may not run.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @split_at_an_input(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.less %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %2 = ov.constant dense<4611686018427387904> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.select %1, %2, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %4 = ov.maximum %k, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %5 = ov.minimum %4, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %6 = ov.loop trip(%5) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %7 = ov.subtract %n, %5 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%7) carried(%6) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.exp %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @split_at_an_input(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %early = ov.less %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @split_at_an_input_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %limit = ov.gather %k, %i, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %early = ov.less %i, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %early -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The limit is another one in each trip.
func.func @split_at_an_input_near_miss(%n: tensor<i64>, %k: tensor<8xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %limit = ov.gather %k, %i, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %early = ov.less %i, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// `if 5 <= i and i < 70` is three loops.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @split_at_a_range(
// CHECK-NEXT: %0 = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %2 = ov.constant dense<65> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.loop trip(%2) carried(%1) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %v_1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %4 = ov.constant dense<30> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%4) carried(%3) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_2: tensor<i64>, %v_2: tensor<16x16xf32>):
// CHECK-NEXT: %p_2 = ov.exp %v_2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_2 = ov.tanh %p_2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_2 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @split_at_a_range(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %seventy = ov.constant dense<70> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %from = ov.greater_equal %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %to = ov.less %i, %seventy : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %within = ov.logical_and %from, %to : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %within -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @split_at_a_range_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %mask = ov.constant dense<64> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %m = ov.multiply %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %h = ov.multiply %m, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %b = ov.bitwise_and %h, %mask : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %within = ov.greater %b, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %within -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Whether the number of the trip is within is decided by bits of a hash.
func.func @split_at_a_range_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %k: tensor<i64>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %mask = ov.constant dense<64> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.multiply %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = ov.multiply %m, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = ov.bitwise_and %h, %mask : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.greater %b, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %within -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// `if 3 i + 7 < 100` is two loops: the function does not wrap within the trips.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @split_at_an_affine_function(
// CHECK-NEXT: %0 = ov.constant dense<31> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %2 = ov.constant dense<69> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%2) carried(%1) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.exp %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @split_at_an_affine_function(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.multiply %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.add %m, %seven : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %early = ov.less %s, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @split_at_an_affine_function_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %limit = ov.constant dense<100> : tensor<i8> : tensor<i8>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %number = ov.convert %i {destination_type = i8} : (tensor<i64>) -> tensor<i8>
// CHECK-NEXT: %s = ov.multiply %number, %k : (tensor<i8>, tensor<i8>) -> tensor<i8>
// CHECK-NEXT: %early = ov.less %s, %limit : (tensor<i8>, tensor<i8>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %early -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// In 8 bits the product with an input wraps: it is less than the limit again and again.
func.func @split_at_an_affine_function_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %k: tensor<i8>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i8> : tensor<i8>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %number = ov.convert %i {destination_type = i8} : (tensor<i64>) -> tensor<i8>
    %s = ov.multiply %number, %k : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %early = ov.less %s, %limit : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A branch on even trips goes: a trip does two.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @parity_of_the_iteration_number(
// CHECK-NEXT: %0 = ov.constant dense<50> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%1: tensor<i64>, %2: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.exp %q : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @parity_of_the_iteration_number(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.floor_mod %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %even -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @parity_of_the_iteration_number_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%x) sliced(%y) {slices = [#ov.slice<axis = 0, end = 100>]} : (tensor<i64>, tensor<16x16xf32>, tensor<100xi64>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %0: tensor<1xi64>):
// CHECK-NEXT: %1 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %number = ov.reshape %0, %1 : (tensor<1xi64>, tensor<0xi64>) -> tensor<i64>
// CHECK-NEXT: %m = ov.floor_mod %number, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %even -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The parity of a number of the data.
func.func @parity_of_the_iteration_number_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %y: tensor<100xi64>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %number = ov.gather %y, %i, %zero : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = ov.floor_mod %number, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %even -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Of a number of trips that only the run knows the last one may be left over.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @parity_of_dynamic_trips(
// CHECK-NEXT: %0 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.divide %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.loop trip(%1) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%3: tensor<i64>, %4: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.exp %q : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %5 = ov.floor_mod %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%5) carried(%2) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p_2 = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_2 = ov.tanh %p_2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_2 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @parity_of_dynamic_trips(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.floor_mod %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %even -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @parity_of_dynamic_trips_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %m = ov.floor_mod %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %even -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The period is an input, which may be 0 as well.
func.func @parity_of_dynamic_trips_near_miss(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.floor_mod %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %even -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A carried flag that each trip negates is the parity of the trip.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @flag_that_alternates(
// CHECK-NEXT: %0 = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.divide %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %2 = ov.loop trip(%1) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%3: tensor<i64>, %4: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.exp %q : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %5 = ov.floor_mod %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%5) carried(%2) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p_2 = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_2 = ov.tanh %p_2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_2 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @flag_that_alternates(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %c: tensor<i1>):
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %c_next = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
    ov.next carried(%q, %c_next : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @flag_that_alternates_near_miss(
// CHECK-NEXT: %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %c: tensor<i1>):
// CHECK-NEXT: %w = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %c_next = ov.not_equal %c, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next carried(%q, %c_next : tensor<16x16xf32>, tensor<i1>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// It alternates where the data says so.
func.func @flag_that_alternates_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<8xi1>) -> tensor<16x16xf32> {
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %c: tensor<i1>):
    %w = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_next = ov.not_equal %c, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%q, %c_next : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A branch on the remainder by three goes: a trip does three.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @residue_of_the_iteration_number(
// CHECK-NEXT: %0 = ov.constant dense<33> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%1: tensor<i64>, %2: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %q : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_2 = ov.exp %q_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_2 = ov.tanh %p_2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_2 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @residue_of_the_iteration_number(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.floor_mod %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %first = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %second = ov.equal %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %s = ov.if %second -> (tensor<16x16xf32>) {
        %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      } else {
        %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      }
      ov.yield %s : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @residue_of_the_iteration_number_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<99> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %half = ov.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %r, %k_end = ov.loop trip(%trips) carried(%x, %zero) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %k: tensor<i64>):
// CHECK-NEXT: %m = ov.floor_mod %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %first = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %first -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %most = ov.reduce_max %q, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %high = ov.greater %most, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %step = ov.convert %high {destination_type = i64} : (tensor<i1>) -> tensor<i64>
// CHECK-NEXT: %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: ov.next carried(%q, %k_next : tensor<16x16xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The residue of what a state has counted.
func.func @residue_of_the_iteration_number_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r, %k_end = ov.loop trip(%trips) carried(%x, %zero) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %k: tensor<i64>):
    %m = ov.floor_mod %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %first = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %most = ov.reduce_max %q, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %high = ov.greater %most, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %step = ov.convert %high {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%q, %k_next : tensor<16x16xf32>, tensor<i64>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// In a loop of `n` trips `i < n` holds.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @condition_known_from_the_trip_count(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @condition_known_from_the_trip_count(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %within = ov.less %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %within -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @condition_known_from_the_trip_count_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %number = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %within = ov.less %number, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %within -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What is compared is a number of the data.
func.func @condition_known_from_the_trip_count_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %y: tensor<8xi64>) -> tensor<16x16xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %number = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %number, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %within -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// In an inner loop of `i` trips `j < i` holds.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @comparison_known_of_a_nest(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %s = ov.loop trip(%i) carried(%v) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %u, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%e : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @comparison_known_of_a_nest(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %s = ov.loop trip(%i) carried(%v) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<16x16xf32>):
      %within = ov.less %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w = ov.if %within -> (tensor<16x16xf32>) {
        %p = ov.mat_mul %u, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      } else {
        %p = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      }
      %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%e : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @comparison_known_of_a_nest_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %m = ov.gather %k, %i, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %u: tensor<16x16xf32>):
// CHECK-NEXT: %number = ov.gather %k, %j, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %within = ov.less %number, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %within -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %u, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%e : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The inner loop runs for as long as the data says.
func.func @comparison_known_of_a_nest_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %k: tensor<8xi64>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.gather %k, %i, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<16x16xf32>):
      %number = ov.gather %k, %j, %axis : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %within = ov.less %number, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w = ov.if %within -> (tensor<16x16xf32>) {
        %p = ov.mat_mul %u, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      } else {
        %p = ov.exp %u : (tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      }
      %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%e : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A flag that is true in the first trip only: that trip is before the loop.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @flag_of_the_first_trip(
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
func.func @flag_of_the_first_trip(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %done = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %first: tensor<i1>):
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %done : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop, at least 2 carried values.
// CHECK-LABEL: func.func @flag_of_the_first_trip_near_miss(
// CHECK-NEXT: %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %first: tensor<i1>):
// CHECK-NEXT: %w = ov.if %first -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.next carried(%q, %flag : tensor<16x16xf32>, tensor<i1>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What the flag becomes is data.
func.func @flag_of_the_first_trip_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<8xi1>) -> tensor<16x16xf32> {
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %first: tensor<i1>):
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next carried(%q, %flag : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A flag that is false until the first trip ends, set by a constant in the body.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @flag_of_the_first_trip_with_the_constant_inside(
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
func.func @flag_of_the_first_trip_with_the_constant_inside(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %begun: tensor<i1>):
    %w = ov.if %begun -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %done = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.next carried(%q, %done : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop, at least 2 carried values.
// CHECK-LABEL: func.func @flag_of_the_first_trip_with_the_constant_inside_near_miss(
// CHECK-NEXT: %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %begun: tensor<i1>):
// CHECK-NEXT: %w = ov.if %begun -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %kept = ov.not_equal %begun, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next carried(%q, %kept : tensor<16x16xf32>, tensor<i1>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// It changes wherever a flag of the data is true.
func.func @flag_of_the_first_trip_with_the_constant_inside_near_miss(%n: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<8xi1>) -> tensor<16x16xf32> {
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %c_end = ov.loop trip(%n) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %begun: tensor<i1>):
    %w = ov.if %begun -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %flag = ov.gather %flags, %i, %axis : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %kept = ov.not_equal %begun, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%q, %kept : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A loop whose state no trip changes any more, once a flag is true, ends there.
// Asked: at most 30 iterations in %.
// CHECK-LABEL: func.func @flag_that_freezes_the_state(
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %most = ov.constant dense<3.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.add %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %sum = ov.reduce_max %q, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %0 = ov.logical_not %high : (tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%0) carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @flag_that_freezes_the_state(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %most = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
  %r, %c_end = ov.loop trip(%trips) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %done: tensor<i1>):
    %w = ov.if %done -> (tensor<16x16xf32>) {
      ov.yield %v : tensor<16x16xf32>
    } else {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.add %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    }
    %sum = ov.reduce_max %w, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %done_next = ov.logical_or %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%w, %done_next : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop, at least 100 iterations in %.
// CHECK-LABEL: func.func @flag_that_freezes_the_state_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %most = ov.constant dense<3.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %r, %c_end = ov.loop trip(%trips) carried(%x, %start) sliced(%flags) {slices = [#ov.slice<axis = 0, end = 100>]} : (tensor<i64>, tensor<16x16xf32>, tensor<i1>, tensor<100xi1>) -> (tensor<16x16xf32>, tensor<i1>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %done: tensor<i1>, %0: tensor<1xi1>):
// CHECK-NEXT: %w = ov.if %done -> (tensor<16x16xf32>) {
// CHECK-NEXT: ov.yield %v : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %sum = ov.reduce_max %w, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %1 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %flag = ov.reshape %0, %1 : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: %reset = ov.not_equal %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %done_next = ov.logical_and %reset, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next carried(%w, %done_next : tensor<16x16xf32>, tensor<i1>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The flag may be reset: a later trip goes on.
func.func @flag_that_freezes_the_state_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<100xi1>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
  %r, %c_end = ov.loop trip(%trips) carried(%x, %start) : (tensor<i64>, tensor<16x16xf32>, tensor<i1>) -> (tensor<16x16xf32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %done: tensor<i1>):
    %w = ov.if %done -> (tensor<16x16xf32>) {
      ov.yield %v : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    }
    %sum = ov.reduce_max %w, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %flag = ov.gather %flags, %i, %axis : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %reset = ov.not_equal %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %done_next = ov.logical_and %reset, %flag : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%w, %done_next : tensor<16x16xf32>, tensor<i1>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A body under the condition that ends the loop needs no branch where it is tested behind each trip.
// Asked: at most 0 ov.if in ov.loop, at most 0 ov.select in ov.loop.
// CHECK-LABEL: func.func @rotation_of_a_guarded_body(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %sum = ov.reduce_max %x, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %go = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %r = ov.loop while(%go) carried(%x) : (tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %sum_1 = ov.reduce_max %q, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %go_1 = ov.less %sum_1, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%go_1) carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @rotation_of_a_guarded_body(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %most: tensor<f32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r = ov.loop while(%start) carried(%x) : (tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %sum = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %go = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %go -> (tensor<16x16xf32>) {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    } else {
      ov.yield %v : tensor<16x16xf32>
    }
    ov.next while(%go) carried(%w : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @rotation_of_a_guarded_body_near_miss(
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %0 = ov.constant dense<6> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %sum = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %low = ov.less %sum, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %w = ov.if %low -> (tensor<16x16xf32>) {
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %q_1 = ov.add %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %go = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%go) carried(%w : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What ends the loop is another condition than the branch's.
func.func @rotation_of_a_guarded_body_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %most: tensor<f32>) -> tensor<16x16xf32> {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %start = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop while(%start) carried(%x) : (tensor<i1>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %sum = ov.reduce_max %v, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %low = ov.less %sum, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<16x16xf32>) {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    } else {
      %p = ov.abs %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.add %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %q : tensor<16x16xf32>
    }
    %go = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %short = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %again = ov.logical_and %go, %short : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Arms of two operations on scalars are both computed in each trip, and one is selected.
// Asked: at most 0 ov.if in ov.loop.
// CHECK-LABEL: func.func @branch_of_cheap_arms_in_a_loop(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %low = ov.less %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %p = ov.multiply %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %q = ov.add %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %p_1 = ov.subtract %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %q_1 = ov.maximum %p_1, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.select %low, %q, %q_1 : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @branch_of_cheap_arms_in_a_loop(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %low = ov.less %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<f32>) {
      %p = ov.multiply %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = ov.add %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      %p = ov.subtract %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = ov.maximum %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.if in ov.loop.
// CHECK-LABEL: func.func @branch_of_cheap_arms_in_a_loop_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %low = ov.less %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %low -> (tensor<f32>) {
// CHECK-NEXT: %at = ov.add %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %p = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %q = ov.add %p, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.yield %q : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.subtract %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %q_1 = ov.maximum %p_1, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.yield %q_1 : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// An arm may fail: it must not run in the trips that do not take it.
func.func @branch_of_cheap_arms_in_a_loop_near_miss(%n: tensor<i64>, %x: tensor<f32>, %a: tensor<f32>, %b: tensor<f32>, %k: tensor<i64>, %y: tensor<4xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %low = ov.less %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<f32>) {
      %at = ov.add %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %p = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
      %q = ov.add %p, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      %p = ov.subtract %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = ov.maximum %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Arms that hold the same loop, begun with other values, choose the values only.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.if.
// CHECK-LABEL: func.func @tail_merge_of_one_loop_in_both_arms(
// CHECK-NEXT: %0 = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: ov.yield %x : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %b : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.loop trip(%n) carried(%0) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @tail_merge_of_one_loop_in_both_arms(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %s = ov.loop trip(%n) carried(%b) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.loop.
// CHECK-LABEL: func.func @tail_merge_of_one_loop_in_both_arms_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %s_1 = ov.loop trip(%n) carried(%b) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %v_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.exp %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The loops do different things: only their trips are the same.
func.func @tail_merge_of_one_loop_in_both_arms_near_miss(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %s = ov.loop trip(%n) carried(%b) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Arms that hold the same loop over other values, between other operations, have one loop.
// Asked: at most 1 ov.loop, at most 0 ov.loop in ov.if.
// CHECK-LABEL: func.func @tail_merge_of_loops_over_other_captures(
// CHECK-NEXT: %0, %1 = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: ov.yield %x, %a : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %t = ov.abs %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %t, %b : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.loop trip(%n) carried(%0) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %e : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @tail_merge_of_loops_over_other_captures(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %e : tensor<16x16xf32>
  } else {
    %t = ov.abs %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = ov.loop trip(%n) carried(%t) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.loop.
// CHECK-LABEL: func.func @tail_merge_of_loops_over_other_captures_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
// CHECK-NEXT: %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %e : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %t = ov.abs %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %s_1 = ov.loop trip(%n) carried(%t) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%i_1: tensor<i64>, %v_1: tensor<16x16xf32>):
// CHECK-NEXT: %q_1 = ov.tanh %v_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.mat_mul %q_1, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%p_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// One loop applies the function before the product, the other one behind.
func.func @tail_merge_of_loops_over_other_captures_near_miss(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%q : tensor<16x16xf32>)
    }
    %e = ov.exp %s : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %e : tensor<16x16xf32>
  } else {
    %t = ov.abs %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = ov.loop trip(%n) carried(%t) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<16x16xf32>):
      %q = ov.tanh %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %p = ov.mat_mul %q, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.next carried(%p : tensor<16x16xf32>)
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The iteration number is not negative: no position has to be counted from the end.
// Asked: at most 0 ov.select in ov.loop, at most 0 ov.less in ov.loop.
// CHECK-LABEL: func.func @range_decides_a_select(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %g = ov.gather %x, %i, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @range_decides_a_select(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %extent = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %negative = ov.less %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %wrapped = ov.add %i, %extent : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.select %negative, %wrapped, %i : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.select in ov.loop.
// CHECK-LABEL: func.func @range_decides_a_select_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %extent = ov.constant dense<8> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %p = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %negative = ov.less %p, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %wrapped = ov.add %p, %extent : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %at = ov.select %negative, %wrapped, %p : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// The position is data.
func.func @range_decides_a_select_near_miss(%n: tensor<i64>, %x: tensor<8xf32>, %y: tensor<8xi64>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %extent = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %negative = ov.less %p, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %wrapped = ov.add %p, %extent : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.select %negative, %wrapped, %p : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Limits within which the iteration number is anyway go.
// Asked: at most 0 ov.maximum, at most 1 ov.minimum, at most 0 ov.clamp.
// CHECK-LABEL: func.func @range_decides_limits(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %last = ov.constant dense<7> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %trips = ov.minimum %n, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %g = ov.gather %x, %i, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @range_decides_limits(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %trips = ov.minimum %n, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%trips) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %lower = ov.maximum %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.minimum %lower, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.maximum, at least 2 ov.minimum.
// CHECK-LABEL: func.func @range_decides_limits_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %last = ov.constant dense<7> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %trips = ov.minimum %n, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %r = ov.loop trip(%trips) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<f32>):
// CHECK-NEXT: %p = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %lower = ov.maximum %p, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %at = ov.minimum %lower, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.next carried(%w : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// The position is data.
func.func @range_decides_limits_near_miss(%n: tensor<i64>, %x: tensor<8xf32>, %y: tensor<8xi64>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %trips = ov.minimum %n, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%trips) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %p = ov.gather %y, %i, %zero : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %lower = ov.maximum %p, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.minimum %lower, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %zero : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %m = ov.multiply %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w = ov.tanh %m : (tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
