// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse,ov-reroll' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// Twelve equal steps one behind the other are a loop, where small code is wanted.
// Asked: at most 2 ov.mat_mul.
// CHECK-LABEL: func.func @reroll_equal_steps(
// CHECK-NEXT: %0 = ov.constant dense<12> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %v12 = ov.loop trip(%0) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
// CHECK-NEXT: ^bb0(%1: tensor<i64>, %2: tensor<16x16xf32>):
// CHECK-NEXT: %p12 = ov.mat_mul %2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v12_1 = ov.tanh %p12 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: ov.next carried(%v12_1 : tensor<16x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v12 : tensor<16x16xf32>
// CHECK-NEXT: }
func.func @reroll_equal_steps(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %p1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v1 = ov.tanh %p1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p2 = ov.mat_mul %v1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v2 = ov.tanh %p2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p3 = ov.mat_mul %v2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v3 = ov.tanh %p3 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p4 = ov.mat_mul %v3, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v4 = ov.tanh %p4 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p5 = ov.mat_mul %v4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v5 = ov.tanh %p5 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p6 = ov.mat_mul %v5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v6 = ov.tanh %p6 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p7 = ov.mat_mul %v6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v7 = ov.tanh %p7 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p8 = ov.mat_mul %v7, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v8 = ov.tanh %p8 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p9 = ov.mat_mul %v8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v9 = ov.tanh %p9 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p10 = ov.mat_mul %v9, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v10 = ov.tanh %p10 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p11 = ov.mat_mul %v10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v11 = ov.tanh %p11 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p12 = ov.mat_mul %v11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v12 = ov.tanh %p12 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %v12 : tensor<16x16xf32>
}

// -----

// Near miss. Kept: at least 10 ov.mat_mul.
// CHECK-LABEL: func.func @reroll_equal_steps_near_miss(
// CHECK-NEXT: %p1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v1 = ov.tanh %p1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p2 = ov.mat_mul %v1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %c2 = ov.minimum %p2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v2 = ov.exp %c2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p3 = ov.mat_mul %v2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v3 = ov.tanh %p3 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p4 = ov.mat_mul %v3, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v4 = ov.tanh %p4 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p5 = ov.mat_mul %v4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %c5 = ov.minimum %p5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v5 = ov.exp %c5 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p6 = ov.mat_mul %v5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %c6 = ov.minimum %p6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v6 = ov.exp %c6 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p7 = ov.mat_mul %v6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v7 = ov.tanh %p7 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p8 = ov.mat_mul %v7, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %c8 = ov.minimum %p8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v8 = ov.exp %c8 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p9 = ov.mat_mul %v8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v9 = ov.tanh %p9 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p10 = ov.mat_mul %v9, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %c10 = ov.minimum %p10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v10 = ov.exp %c10 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p11 = ov.mat_mul %v10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %c11 = ov.minimum %p11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v11 = ov.exp %c11 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %p12 = ov.mat_mul %v11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %v12 = ov.tanh %p12 : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: func.return %v12 : tensor<16x16xf32>
// CHECK-NEXT: }
// The functions alternate without a period.
func.func @reroll_equal_steps_near_miss(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %p1 = ov.mat_mul %x, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v1 = ov.tanh %p1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p2 = ov.mat_mul %v1, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c2 = ov.minimum %p2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v2 = ov.exp %c2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p3 = ov.mat_mul %v2, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v3 = ov.tanh %p3 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p4 = ov.mat_mul %v3, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v4 = ov.tanh %p4 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p5 = ov.mat_mul %v4, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c5 = ov.minimum %p5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v5 = ov.exp %c5 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p6 = ov.mat_mul %v5, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c6 = ov.minimum %p6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v6 = ov.exp %c6 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p7 = ov.mat_mul %v6, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v7 = ov.tanh %p7 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p8 = ov.mat_mul %v7, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c8 = ov.minimum %p8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v8 = ov.exp %c8 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p9 = ov.mat_mul %v8, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v9 = ov.tanh %p9 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p10 = ov.mat_mul %v9, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c10 = ov.minimum %p10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v10 = ov.exp %c10 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p11 = ov.mat_mul %v10, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c11 = ov.minimum %p11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v11 = ov.exp %c11 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %p12 = ov.mat_mul %v11, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v12 = ov.tanh %p12 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %v12 : tensor<16x16xf32>
}

// -----

// Twelve steps with constants of their own are a loop over a table of them.
// Asked: at most 2 ov.tanh.
// CHECK-LABEL: func.func @reroll_steps_with_weights(
// CHECK-NEXT: %0 = ov.constant dense<"0x000000BE0000003E000020BF0000003F0000603F000000BF000040BF000040BF000080BF0000003F0000003E000060BF000000BE0000803F0000C03E000000000000C0BE000020BF00000000000080BE000080BF0000000000000000000080BE0000C0BE0000003E0000003E0000C03E000040BF0000803E0000003F0000803F000000BE0000C0BE000000BE0000603F00000000000040BF0000003E000080BF0000003E0000003E0000803F000080BE0000203F0000203F0000003E0000203F0000403F0000C0BE000000BE0000003E00000000000060BF000040BF000060BF0000403F000000000000803F0000603F0000803E000000BF000080BE000040BF0000203F000080BE0000403F000000000000C0BE0000C03E0000203F0000803E000080BE0000803E000020BF000060BF000000BE00000000000000BE000020BF0000803E0000C0BE0000003E0000403F000080BF000060BF0000C03E000040BF0000003E0000803E000080BF0000803E0000003E0000803E000000BF0000203F000040BF0000003E000080BE0000403F0000003E000000BF000000000000003F0000C0BE0000803E000080BF0000C03E000060BF0000403F0000C0BE0000C03E0000C03E0000003E000020BF0000403F000080BE0000203F000080BE000020BF000060BF000060BF000060BF0000C0BE000000BF000060BF0000603F000000BE0000803E000060BF000020BF0000803F0000003E0000203F000080BE0000603F000080BE000000BE0000403F0000203F0000603F000060BF000000BE0000203F0000403F000000BE0000203F000080BE0000603F000080BE000060BF000060BF0000000000000000000000BE0000803F000080BE000000BE0000203F00000000000000BF0000803E000060BF0000803E000020BF0000003F000060BF0000603F0000003F000040BF0000203F000080BE0000C0BE0000803E0000003E0000603F0000803E0000203F0000803F000080BE000000000000803E0000003F0000603F000040BF00000000000080BE000060BF0000003F000000BF00000000000060BF"> : tensor<12x16xf32> : tensor<12x16xf32>
// CHECK-NEXT: %1 = ov.constant dense<12> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %v12 = ov.loop trip(%1) carried(%x) sliced(%0) {slices = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<16xf32>, tensor<12x16xf32>) -> tensor<16xf32> {
// CHECK-NEXT: ^bb0(%2: tensor<i64>, %3: tensor<16xf32>, %4: tensor<1x16xf32>):
// CHECK-NEXT: %5 = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %6 = ov.reshape %4, %5 : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %p12 = ov.multiply %3, %6 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v12_1 = ov.tanh %p12 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: ov.next carried(%v12_1 : tensor<16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v12 : tensor<16xf32>
// CHECK-NEXT: }
func.func @reroll_steps_with_weights(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w1 = ov.constant dense<[-0.125, 0.125, -0.625, 0.5, 0.875, -0.5, -0.75, -0.75, -1.0, 0.5, 0.125, -0.875, -0.125, 1.0, 0.375, 0.0]> : tensor<16xf32> : tensor<16xf32>
  %p1 = ov.multiply %x, %w1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v1 = ov.tanh %p1 : (tensor<16xf32>) -> tensor<16xf32>
  %w2 = ov.constant dense<[-0.375, -0.625, 0.0, -0.25, -1.0, 0.0, 0.0, -0.25, -0.375, 0.125, 0.125, 0.375, -0.75, 0.25, 0.5, 1.0]> : tensor<16xf32> : tensor<16xf32>
  %p2 = ov.multiply %v1, %w2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v2 = ov.tanh %p2 : (tensor<16xf32>) -> tensor<16xf32>
  %w3 = ov.constant dense<[-0.125, -0.375, -0.125, 0.875, 0.0, -0.75, 0.125, -1.0, 0.125, 0.125, 1.0, -0.25, 0.625, 0.625, 0.125, 0.625]> : tensor<16xf32> : tensor<16xf32>
  %p3 = ov.multiply %v2, %w3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v3 = ov.tanh %p3 : (tensor<16xf32>) -> tensor<16xf32>
  %w4 = ov.constant dense<[0.75, -0.375, -0.125, 0.125, 0.0, -0.875, -0.75, -0.875, 0.75, 0.0, 1.0, 0.875, 0.25, -0.5, -0.25, -0.75]> : tensor<16xf32> : tensor<16xf32>
  %p4 = ov.multiply %v3, %w4 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v4 = ov.tanh %p4 : (tensor<16xf32>) -> tensor<16xf32>
  %w5 = ov.constant dense<[0.625, -0.25, 0.75, 0.0, -0.375, 0.375, 0.625, 0.25, -0.25, 0.25, -0.625, -0.875, -0.125, 0.0, -0.125, -0.625]> : tensor<16xf32> : tensor<16xf32>
  %p5 = ov.multiply %v4, %w5 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v5 = ov.tanh %p5 : (tensor<16xf32>) -> tensor<16xf32>
  %w6 = ov.constant dense<[0.25, -0.375, 0.125, 0.75, -1.0, -0.875, 0.375, -0.75, 0.125, 0.25, -1.0, 0.25, 0.125, 0.25, -0.5, 0.625]> : tensor<16xf32> : tensor<16xf32>
  %p6 = ov.multiply %v5, %w6 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v6 = ov.tanh %p6 : (tensor<16xf32>) -> tensor<16xf32>
  %w7 = ov.constant dense<[-0.75, 0.125, -0.25, 0.75, 0.125, -0.5, 0.0, 0.5, -0.375, 0.25, -1.0, 0.375, -0.875, 0.75, -0.375, 0.375]> : tensor<16xf32> : tensor<16xf32>
  %p7 = ov.multiply %v6, %w7 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v7 = ov.tanh %p7 : (tensor<16xf32>) -> tensor<16xf32>
  %w8 = ov.constant dense<[0.375, 0.125, -0.625, 0.75, -0.25, 0.625, -0.25, -0.625, -0.875, -0.875, -0.875, -0.375, -0.5, -0.875, 0.875, -0.125]> : tensor<16xf32> : tensor<16xf32>
  %p8 = ov.multiply %v7, %w8 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v8 = ov.tanh %p8 : (tensor<16xf32>) -> tensor<16xf32>
  %w9 = ov.constant dense<[0.25, -0.875, -0.625, 1.0, 0.125, 0.625, -0.25, 0.875, -0.25, -0.125, 0.75, 0.625, 0.875, -0.875, -0.125, 0.625]> : tensor<16xf32> : tensor<16xf32>
  %p9 = ov.multiply %v8, %w9 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v9 = ov.tanh %p9 : (tensor<16xf32>) -> tensor<16xf32>
  %w10 = ov.constant dense<[0.75, -0.125, 0.625, -0.25, 0.875, -0.25, -0.875, -0.875, 0.0, 0.0, -0.125, 1.0, -0.25, -0.125, 0.625, 0.0]> : tensor<16xf32> : tensor<16xf32>
  %p10 = ov.multiply %v9, %w10 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v10 = ov.tanh %p10 : (tensor<16xf32>) -> tensor<16xf32>
  %w11 = ov.constant dense<[-0.5, 0.25, -0.875, 0.25, -0.625, 0.5, -0.875, 0.875, 0.5, -0.75, 0.625, -0.25, -0.375, 0.25, 0.125, 0.875]> : tensor<16xf32> : tensor<16xf32>
  %p11 = ov.multiply %v10, %w11 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v11 = ov.tanh %p11 : (tensor<16xf32>) -> tensor<16xf32>
  %w12 = ov.constant dense<[0.25, 0.625, 1.0, -0.25, 0.0, 0.25, 0.5, 0.875, -0.75, 0.0, -0.25, -0.875, 0.5, -0.5, 0.0, -0.875]> : tensor<16xf32> : tensor<16xf32>
  %p12 = ov.multiply %v11, %w12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v12 = ov.tanh %p12 : (tensor<16xf32>) -> tensor<16xf32>
  func.return %v12 : tensor<16xf32>
}

// -----

// Near miss. Kept: at least 8 ov.tanh.
// CHECK-LABEL: func.func @reroll_steps_with_weights_near_miss(
// CHECK-NEXT: %w1 = ov.exp %b : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d1 = ov.subtract %w1, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p1 = ov.maximum %x, %d1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v1 = ov.abs %p1 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w2 = ov.exp %v1 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d2 = ov.subtract %w2, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p2 = ov.minimum %v1, %d2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v2 = ov.tanh %p2 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w3 = ov.exp %v2 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d3 = ov.multiply %w3, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p3 = ov.minimum %v2, %d3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v3 = ov.tanh %p3 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w4 = ov.exp %v3 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d4 = ov.subtract %w4, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p4 = ov.maximum %v3, %d4 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v4 = ov.tanh %p4 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w5 = ov.exp %v4 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d5 = ov.subtract %w5, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p5 = ov.maximum %v4, %d5 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v5 = ov.abs %p5 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w6 = ov.exp %v5 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d6 = ov.multiply %w6, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p6 = ov.maximum %v5, %d6 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v6 = ov.abs %p6 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w7 = ov.exp %v6 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d7 = ov.subtract %w7, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p7 = ov.minimum %v6, %d7 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v7 = ov.tanh %p7 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w8 = ov.exp %v7 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d8 = ov.subtract %w8, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p8 = ov.minimum %v7, %d8 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v8 = ov.tanh %p8 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w9 = ov.exp %v8 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d9 = ov.multiply %w9, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p9 = ov.maximum %v8, %d9 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v9 = ov.tanh %p9 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w10 = ov.exp %v9 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d10 = ov.subtract %w10, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p10 = ov.maximum %v9, %d10 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v10 = ov.abs %p10 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w11 = ov.exp %v10 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d11 = ov.subtract %w11, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p11 = ov.minimum %v10, %d11 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v11 = ov.tanh %p11 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %w12 = ov.exp %v11 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %d12 = ov.multiply %w12, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %p12 = ov.maximum %v11, %d12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %v12 = ov.tanh %p12 : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: func.return %v12 : tensor<16xf32>
// CHECK-NEXT: }
// Each step has other operations, and a weight made of the step before.
func.func @reroll_steps_with_weights_near_miss(%x: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %w1 = ov.exp %b : (tensor<16xf32>) -> tensor<16xf32>
  %d1 = ov.subtract %w1, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p1 = ov.maximum %x, %d1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v1 = ov.abs %p1 : (tensor<16xf32>) -> tensor<16xf32>
  %w2 = ov.exp %v1 : (tensor<16xf32>) -> tensor<16xf32>
  %d2 = ov.subtract %w2, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p2 = ov.minimum %v1, %d2 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v2 = ov.tanh %p2 : (tensor<16xf32>) -> tensor<16xf32>
  %w3 = ov.exp %v2 : (tensor<16xf32>) -> tensor<16xf32>
  %d3 = ov.multiply %w3, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p3 = ov.minimum %v2, %d3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v3 = ov.tanh %p3 : (tensor<16xf32>) -> tensor<16xf32>
  %w4 = ov.exp %v3 : (tensor<16xf32>) -> tensor<16xf32>
  %d4 = ov.subtract %w4, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p4 = ov.maximum %v3, %d4 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v4 = ov.tanh %p4 : (tensor<16xf32>) -> tensor<16xf32>
  %w5 = ov.exp %v4 : (tensor<16xf32>) -> tensor<16xf32>
  %d5 = ov.subtract %w5, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p5 = ov.maximum %v4, %d5 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v5 = ov.abs %p5 : (tensor<16xf32>) -> tensor<16xf32>
  %w6 = ov.exp %v5 : (tensor<16xf32>) -> tensor<16xf32>
  %d6 = ov.multiply %w6, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p6 = ov.maximum %v5, %d6 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v6 = ov.abs %p6 : (tensor<16xf32>) -> tensor<16xf32>
  %w7 = ov.exp %v6 : (tensor<16xf32>) -> tensor<16xf32>
  %d7 = ov.subtract %w7, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p7 = ov.minimum %v6, %d7 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v7 = ov.tanh %p7 : (tensor<16xf32>) -> tensor<16xf32>
  %w8 = ov.exp %v7 : (tensor<16xf32>) -> tensor<16xf32>
  %d8 = ov.subtract %w8, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p8 = ov.minimum %v7, %d8 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v8 = ov.tanh %p8 : (tensor<16xf32>) -> tensor<16xf32>
  %w9 = ov.exp %v8 : (tensor<16xf32>) -> tensor<16xf32>
  %d9 = ov.multiply %w9, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p9 = ov.maximum %v8, %d9 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v9 = ov.tanh %p9 : (tensor<16xf32>) -> tensor<16xf32>
  %w10 = ov.exp %v9 : (tensor<16xf32>) -> tensor<16xf32>
  %d10 = ov.subtract %w10, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p10 = ov.maximum %v9, %d10 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v10 = ov.abs %p10 : (tensor<16xf32>) -> tensor<16xf32>
  %w11 = ov.exp %v10 : (tensor<16xf32>) -> tensor<16xf32>
  %d11 = ov.subtract %w11, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p11 = ov.minimum %v10, %d11 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v11 = ov.tanh %p11 : (tensor<16xf32>) -> tensor<16xf32>
  %w12 = ov.exp %v11 : (tensor<16xf32>) -> tensor<16xf32>
  %d12 = ov.multiply %w12, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %p12 = ov.maximum %v11, %d12 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %v12 = ov.tanh %p12 : (tensor<16xf32>) -> tensor<16xf32>
  func.return %v12 : tensor<16xf32>
}
