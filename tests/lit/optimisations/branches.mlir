// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Arms that do the same are done without a branch.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @branch_equal_arms(
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: func.return %q : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_equal_arms(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_equal_arms_near_miss(
// CHECK-NEXT: %0 = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %0 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: func.return %q : tensor<16x16xf32>
// CHECK-NEXT: }
// The operands of one operation are the other way round.
func.func @branch_equal_arms_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A result that both arms give from outside is that value.
// Asked: at most 1 results of ov.if.
// CHECK-LABEL: func.func @branch_result_equal_in_both_arms(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %a : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_result_equal_in_both_arms(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %a : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %a : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 results of ov.if.
// CHECK-LABEL: func.func @branch_result_equal_in_both_arms_near_miss(
// CHECK-NEXT: %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p, %a : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1, %x : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// The second result is another value in each arm.
func.func @branch_result_equal_in_both_arms_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %a : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %x : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Two results that are the same in each arm are one.
// Asked: at most 1 results of ov.if.
// CHECK-LABEL: func.func @branch_duplicate_results(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_duplicate_results(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 results of ov.if.
// CHECK-LABEL: func.func @branch_duplicate_results_near_miss(
// CHECK-NEXT: %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1, %x : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// The results differ in one arm.
func.func @branch_duplicate_results_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %p : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %x : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A result that is not used goes, with what makes it.
// Asked: at most 1 results of ov.if, at most 0 ov.exp.
// CHECK-LABEL: func.func @branch_unused_result(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_unused_result(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 results of ov.if, at least 2 ov.exp.
// CHECK-LABEL: func.func @branch_unused_result_near_miss(
// CHECK-NEXT: %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1, %q_1 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// Both results are used.
func.func @branch_unused_result_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A branch none of whose results is used goes.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @branch_unused(
// CHECK-NEXT: %s = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: func.return %s : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_unused(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %s : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_unused_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.if %c -> (tensor<1xf32>) {
// CHECK-NEXT: %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
// CHECK-NEXT: ov.yield %p : tensor<1xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %q = ov.constant dense<0.000000e+00> : tensor<1xf32> : tensor<1xf32>
// CHECK-NEXT: ov.yield %q : tensor<1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.add %x, %r : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %s : tensor<4xf32>
// CHECK-NEXT: }
// The result is used, and one arm may stop the program.
func.func @branch_unused_near_miss(%c: tensor<i1>, %k: tensor<1xi64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<1xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.yield %p : tensor<1xf32>
  } else {
    %q = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
    ov.yield %q : tensor<1xf32>
  }
  %s = ov.add %x, %r : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// -----

// A condition that is known leaves the arm that is taken.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @branch_constant_condition(
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: func.return %p : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_constant_condition(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %c = ov.less %two, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_constant_condition_near_miss(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// One side of the comparison is an input.
func.func @branch_constant_condition_near_miss(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Arms that give two scalars from outside are a `select`.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @branch_select_of_values(
// CHECK-NEXT: %r = ov.select %c, %x, %a : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @branch_select_of_values(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_select_of_values_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %a : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// One arm is a product of matrices, which only half of the runs need.
func.func @branch_select_of_values_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    ov.yield %a : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Arms of one operation on scalars are computed both, and one is selected.
// Asked: at most 0 ov.if.
// CHECK-LABEL: func.func @branch_select_of_cheap_arms(
// CHECK-NEXT: %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %p_1 = ov.subtract %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %r = ov.select %c, %p, %p_1 : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
func.func @branch_select_of_cheap_arms(%c: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    %p = ov.subtract %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_select_of_cheap_arms_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.if %c -> (tensor<f32>) {
// CHECK-NEXT: %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: ov.yield %p : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %a : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<f32>
// CHECK-NEXT: }
// One arm may fail: a position from the input.
func.func @branch_select_of_cheap_arms_near_miss(%c: tensor<i1>, %k: tensor<i64>, %x: tensor<4xf32>, %a: tensor<f32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    ov.yield %p : tensor<f32>
  } else {
    ov.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// `if c true else false` is `c`.
// Asked: at most 0 ov.if, at most 0 ov.select.
// CHECK-LABEL: func.func @branch_true_false(
// CHECK-NEXT: %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: func.return %c : tensor<i1>
// CHECK-NEXT: }
func.func @branch_true_false(%k: tensor<i64>, %m: tensor<i64>) -> tensor<i1> {
  %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<i1>) {
    %p = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  } else {
    %p = ov.constant dense<false> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  }
  func.return %r : tensor<i1>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_true_false_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.if %c -> (tensor<i1>) {
// CHECK-NEXT: %p = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %p : tensor<i1>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.yield %p_1 : tensor<i1>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<i1>
// CHECK-NEXT: }
// The second arm is not false, and may fail.
func.func @branch_true_false_near_miss(%c: tensor<i1>, %k: tensor<i64>, %x: tensor<4xi1>) -> tensor<i1> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<i1>) {
    %p = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield %p : tensor<i1>
  }
  func.return %r : tensor<i1>
}

// -----

// `if c false else true` is `not c`.
// Asked: at most 0 ov.if, at most 0 ov.select.
// CHECK-LABEL: func.func @branch_false_true(
// CHECK-NEXT: %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
// CHECK-NEXT: func.return %r : tensor<i1>
// CHECK-NEXT: }
func.func @branch_false_true(%k: tensor<i64>, %m: tensor<i64>) -> tensor<i1> {
  %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<i1>) {
    %p = ov.constant dense<false> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  } else {
    %p = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  }
  func.return %r : tensor<i1>
}

// -----

// Near miss. Kept: at least 1 ov.if.
// CHECK-LABEL: func.func @branch_false_true_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.if %c -> (tensor<i1>) {
// CHECK-NEXT: %p = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.yield %p : tensor<i1>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: ov.yield %p_1 : tensor<i1>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<i1>
// CHECK-NEXT: }
// The second arm is not true, and may fail.
func.func @branch_false_true_near_miss(%c: tensor<i1>, %k: tensor<i64>, %x: tensor<4xi1>) -> tensor<i1> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<i1>) {
    %p = ov.constant dense<false> : tensor<i1> : tensor<i1>
    ov.yield %p : tensor<i1>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield %p : tensor<i1>
  }
  func.return %r : tensor<i1>
}

// -----

// A branch on `not c` is one on `c` with the arms exchanged.
// Asked: at most 0 ov.logical_not.
// CHECK-LABEL: func.func @branch_negated_condition(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_negated_condition(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %n -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.logical_not, at least 1 ov.if.
// CHECK-LABEL: func.func @branch_negated_condition_near_miss(
// CHECK-NEXT: %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %n : tensor<16x16xf32>, tensor<i1>
// CHECK-NEXT: }
// The negation is a result, too.
func.func @branch_negated_condition_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<i1>) {
  %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %n -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %n : tensor<16x16xf32>, tensor<i1>
}

// -----

// An operation that both arms begin with moves before the branch.
// Asked: at most 1 ov.exp, at most 0 ov.exp in ov.if.
// CHECK-LABEL: func.func @branch_common_first_operation(
// CHECK-NEXT: %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %q_1 = ov.mat_mul %a, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_common_first_operation(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %a, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.exp in ov.if.
// CHECK-LABEL: func.func @branch_common_first_operation_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.mat_mul %x, %p_1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The arms take exponentials of different values.
func.func @branch_common_first_operation_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.mat_mul %x, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// An operation that both arms end with, on values of their own, moves behind the branch.
// Asked: at most 1 ov.exp, at most 0 ov.exp in ov.if.
// CHECK-LABEL: func.func @branch_common_last_operation(
// CHECK-NEXT: %0 = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %q = ov.exp %0 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: func.return %q : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_common_last_operation(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp in ov.if, at least 1 ov.tanh in ov.if.
// CHECK-LABEL: func.func @branch_common_last_operation_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %q_1 = ov.tanh %p_1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The last operations differ.
func.func @branch_common_last_operation_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.exp %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.tanh %p : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// What may fail moves out if both arms have it.
// Asked: at most 1 ov.gather, at most 0 ov.gather in ov.if.
// CHECK-LABEL: func.func @branch_common_operation_that_may_fail(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %q_1 = ov.mat_mul %a, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_common_operation_that_may_fail(%c: tensor<i1>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %q = ov.mat_mul %a, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.gather in ov.if.
// CHECK-LABEL: func.func @branch_common_operation_that_may_fail_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
// CHECK-NEXT: %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %q_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Only one arm has it: outside it would stop runs that do not take this arm.
func.func @branch_common_operation_that_may_fail_near_miss(%c: tensor<i1>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %q = ov.mat_mul %p, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  } else {
    %q = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %q : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// An operation that only one arm uses moves into it.
// Asked: at most 0 ov.exp outside ov.if.
// CHECK-LABEL: func.func @branch_sunk_operation(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_sunk_operation(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp outside ov.if.
// CHECK-LABEL: func.func @branch_sunk_operation_near_miss(
// CHECK-NEXT: %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %e : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// The value is used behind the If as well.
func.func @branch_sunk_operation_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %e : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Of two operations each moves into the arm that uses it.
// Asked: at most 0 ov.exp outside ov.if, at most 0 ov.tanh outside ov.if.
// CHECK-LABEL: func.func @branch_sunk_into_each_arm(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %t = ov.tanh %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.mat_mul %t, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_sunk_into_each_arm(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = ov.tanh %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %t, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.exp outside ov.if, at least 1 ov.tanh outside ov.if.
// CHECK-LABEL: func.func @branch_sunk_into_each_arm_near_miss(
// CHECK-NEXT: %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %t = ov.tanh %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %e, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %t, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Both arms use both values.
func.func @branch_sunk_into_each_arm_near_miss(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.exp %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = ov.tanh %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %e, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %t, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Two branches on one condition are one.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_adjacent(
// CHECK-NEXT: %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p, %p_1 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_3 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2, %p_3 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_adjacent(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_adjacent_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_2 = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_3 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_3 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// The second If has a condition of its own.
func.func @branch_adjacent_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %d -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A branch on one condition that uses the result of the one before is merged with it.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_adjacent_that_use_each_other(
// CHECK-NEXT: %s = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.mat_mul %p, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_3 = ov.mat_mul %a, %p_2 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_3 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_adjacent_that_use_each_other(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %r, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %r : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %s : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_adjacent_that_use_each_other_near_miss(
// CHECK-NEXT: %0 = ov.constant dense<false> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %r, %e = ov.if %c -> (tensor<16x16xf32>, tensor<i1>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p, %d : tensor<16x16xf32>, tensor<i1>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1, %0 : tensor<16x16xf32>, tensor<i1>
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.if %e -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_2 = ov.mat_mul %r, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_3 = ov.mat_mul %a, %r : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_3 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : tensor<16x16xf32>
// CHECK-NEXT: }
// The condition of the second If comes out of the first one.
func.func @branch_adjacent_that_use_each_other_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r, %e = ov.if %c -> (tensor<16x16xf32>, tensor<i1>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %d : tensor<16x16xf32>, tensor<i1>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p, %c : tensor<16x16xf32>, tensor<i1>
  }
  %s = ov.if %e -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %r, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %r : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %s : tensor<16x16xf32>
}

// -----

// Branches on `c` and `not c` are one.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_adjacent_negated(
// CHECK-NEXT: %r, %s = ov.if %c -> (tensor<16x16xf32>, tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p, %p_1 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p_3 = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2, %p_3 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_adjacent_negated(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %n -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_adjacent_negated_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_3 = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_3 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }
// The negation is of another condition.
func.func @branch_adjacent_negated_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %n = ov.logical_not %d : (tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  %s = ov.if %n -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A branch in the arm where its condition holds is its first arm.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_same(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_same(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_same_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The inner condition is another one.
func.func @branch_nested_same_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// A branch in the arm where its condition does not hold is its second arm.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_same_in_the_other_arm(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_same_in_the_other_arm(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_same_in_the_other_arm_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The inner condition is another one.
func.func @branch_nested_same_in_the_other_arm_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// In the arm where `c` holds `not c` does not.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_negated(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_negated(%c: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %n -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_negated_near_miss(
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The negation is of another condition.
func.func @branch_nested_negated_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %n = ov.logical_not %d : (tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %n -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `k < m` holds `m > k` does.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_equal_comparison(
// CHECK-NEXT: %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_equal_comparison(%k: tensor<i64>, %m: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = ov.less %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %m, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_equal_comparison_near_miss(
// CHECK-NEXT: %c = ov.greater_equal %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %d = ov.greater %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// The comparison inside is true of equal numbers as well.
func.func @branch_nested_equal_comparison_near_miss(%k: tensor<i64>, %m: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = ov.greater_equal %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %k, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `k < 3` holds `k < 5` does.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_implied(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_implied(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_implied_near_miss(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %s = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// Less than 5 does not imply less than 3.
func.func @branch_nested_implied_near_miss(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %d -> (tensor<16x16xf32>) {
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `k < 3` holds `k > 5` does not.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_refuted(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_refuted(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_refuted_near_miss(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.greater %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %d = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// More than 3 is compatible with more than 5.
func.func @branch_nested_refuted_near_miss(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.greater %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `k < 5` does not hold `k > 3` does.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_implied_in_the_other_arm(
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_implied_in_the_other_arm(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %c = ov.greater %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %d -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %c -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_implied_in_the_other_arm_near_miss(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %d = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What is not less than 3 may be more than 5 or not.
func.func @branch_nested_implied_in_the_other_arm_near_miss(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `k` is 3 it is less than 5.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_implied_by_equality(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_implied_by_equality(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_implied_by_equality_near_miss(
// CHECK-NEXT: %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %c -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// What is not 3 may be less than 5 or not.
func.func @branch_nested_implied_by_equality_near_miss(%k: tensor<i64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.less %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `c and d` holds `d` does.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_part_of_a_conjunction(
// CHECK-NEXT: %e = ov.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %e -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_part_of_a_conjunction(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_part_of_a_conjunction_near_miss(
// CHECK-NEXT: %e = ov.logical_or %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %e -> (tensor<16x16xf32>) {
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// A part of a disjunction.
func.func @branch_nested_part_of_a_conjunction_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.logical_or %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<16x16xf32>) {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  } else {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Where `c or d` does not hold `d` does not.
// Asked: at most 1 ov.if.
// CHECK-LABEL: func.func @branch_nested_part_of_a_disjunction(
// CHECK-NEXT: %e = ov.logical_or %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %e -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @branch_nested_part_of_a_disjunction(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.logical_or %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.if.
// CHECK-LABEL: func.func @branch_nested_part_of_a_disjunction_near_miss(
// CHECK-NEXT: %e = ov.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %r = ov.if %e -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %s = ov.if %d -> (tensor<16x16xf32>) {
// CHECK-NEXT: %p_1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_1 : tensor<16x16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_2 = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.yield %p_2 : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.yield %s : tensor<16x16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16x16xf32>
// CHECK-NEXT: }
// A part of a conjunction.
func.func @branch_nested_part_of_a_disjunction_near_miss(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = ov.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<16x16xf32>) {
    %p = ov.mat_mul %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.yield %p : tensor<16x16xf32>
  } else {
    %s = ov.if %d -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.mat_mul %a, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    ov.yield %s : tensor<16x16xf32>
  }
  func.return %r : tensor<16x16xf32>
}
