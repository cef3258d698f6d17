// RUN: loomir-opt %s --split-input-file -p 'ov-remove-unneeded,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-loop-forward-rows,ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms,ov-loop-fuse,ov-loop-unswitch,ov-fold-ranges,ov-loop-peel{ranks=false},ov-loop-split,ov-loop-unroll-residues,ov-loop-rotate,ov-loop-invariant-code-motion,ov-loop-carry-layout,ov-loop-carry-joined,ov-loop-shift-slices,ov-loop-whole-axis,ov-loop-reductions,ov-loop-carry-reductions,ov-loop-collapse,ov-loop-unroll{max-code-growth=8},ov-loop-end-frozen,ov-if-tail-merge,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select{cost="work"},ov-dispatch-tuple-lengths,ov-if-thread,ov-loop-peel,ov-if-resolve-ranks,ov-loop-join-parts,convert-ovseq-to-ov,convert-unranked-to-flat,ov-decompose,ov-fold-constants,canonicalize,cse,ov-loop-join-parts,ov-loop-grow-in-place,ov-merge-products,ov-loop-gather-to-slice,ov-loop-hoist-products,cse' | filecheck %s
// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.

// A state that each trip transposes, and transposes back, is carried transposed.
// Asked: at most 0 ov.transpose in ov.loop.
// CHECK-LABEL: func.func @layout_transposed_to_and_fro(
// CHECK-NEXT: %0 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.transpose %x, %0 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%1) : (tensor<i64>, tensor<16x8xf32>) -> tensor<16x8xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x8xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %a : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<16x8xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = ov.transpose %r, %0 : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
// CHECK-NEXT: func.return %r_1 : tensor<8x16xf32>
// CHECK-NEXT: }
func.func @layout_transposed_to_and_fro(%n: tensor<i64>, %x: tensor<8x16xf32>, %a: tensor<16x8xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %m = ov.multiply %t, %a : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %back = ov.transpose %w, %order : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%back : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}

// -----

// Near miss. Kept: at least 2 ov.transpose in ov.loop.
// CHECK-LABEL: func.func @layout_transposed_to_and_fro_near_miss(
// CHECK-NEXT: %order = ov.constant dense<[1, 2, 0]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4x4x4xf32>):
// CHECK-NEXT: %t = ov.transpose %v, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
// CHECK-NEXT: %m = ov.multiply %t, %a : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
// CHECK-NEXT: %back = ov.transpose %w, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
// CHECK-NEXT: ov.next carried(%back : tensor<4x4x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4x4x4xf32>
// CHECK-NEXT: }
// The order of three axes is moved twice: that is not the order before.
func.func @layout_transposed_to_and_fro_near_miss(%n: tensor<i64>, %x: tensor<4x4x4xf32>, %a: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %order = ov.constant dense<[1, 2, 0]> : tensor<3xi64> : tensor<3xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4x4x4xf32>):
    %t = ov.transpose %v, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
    %m = ov.multiply %t, %a : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %w = ov.tanh %m : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %back = ov.transpose %w, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
    ov.next carried(%back : tensor<4x4x4xf32>)
  }
  func.return %r : tensor<4x4x4xf32>
}

// -----

// A state whose transpose is multiplied, and the product transposed back, is carried transposed.
// Asked: at most 0 ov.transpose in ov.loop.
// CHECK-LABEL: func.func @layout_transposed_between_products(
// CHECK-NEXT: %0 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.transpose %x, %0 : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%1) : (tensor<i64>, tensor<16x8xf32>) -> tensor<16x8xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16x8xf32>):
// CHECK-NEXT: %m = ov.mat_mul %v, %a : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<16x8xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = ov.transpose %r, %0 : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
// CHECK-NEXT: func.return %r_1 : tensor<8x16xf32>
// CHECK-NEXT: }
func.func @layout_transposed_between_products(%n: tensor<i64>, %x: tensor<8x16xf32>, %a: tensor<8x8xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %m = ov.mat_mul %t, %a : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %back = ov.transpose %w, %order : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%back : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.transpose in ov.loop.
// CHECK-LABEL: func.func @layout_transposed_between_products_near_miss(
// CHECK-NEXT: %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %rows = ov.constant dense<[8, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
// CHECK-NEXT: %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
// CHECK-NEXT: %m = ov.mat_mul %t, %a : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %back = ov.reshape %w, %rows : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
// CHECK-NEXT: ov.next carried(%back : tensor<8x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<8x16xf32>
// CHECK-NEXT: }
// Behind the exchange of the axes the elements are put in rows of the length before: a trip moves them.
func.func @layout_transposed_between_products_near_miss(%n: tensor<i64>, %x: tensor<8x16xf32>, %a: tensor<8x8xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %rows = ov.constant dense<[8, 16]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %m = ov.mat_mul %t, %a : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %w = ov.tanh %m : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %back = ov.reshape %w, %rows : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%back : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}

// -----

// A state that each trip reshapes, and reshapes back, is carried in the other shape.
// Asked: at most 0 ov.reshape in ov.loop.
// CHECK-LABEL: func.func @layout_reshaped_to_and_fro(
// CHECK-NEXT: %0 = ov.constant dense<8> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<64xf32>, tensor<2xi64>) -> tensor<8x8xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%1) : (tensor<i64>, tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8x8xf32>):
// CHECK-NEXT: %m = ov.mat_mul %v, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<8x8xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %2 = ov.constant dense<64> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %r_1 = ov.reshape %r, %2 : (tensor<8x8xf32>, tensor<1xi64>) -> tensor<64xf32>
// CHECK-NEXT: func.return %r_1 : tensor<64xf32>
// CHECK-NEXT: }
func.func @layout_reshaped_to_and_fro(%n: tensor<i64>, %x: tensor<64xf32>, %a: tensor<8x8xf32>) -> tensor<64xf32> {
  %square = ov.constant dense<[8, 8]> : tensor<2xi64> : tensor<2xi64>
  %flat = ov.constant dense<[64]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>):
    %t = ov.reshape %v, %square : (tensor<64xf32>, tensor<2xi64>) -> tensor<8x8xf32>
    %m = ov.mat_mul %t, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %w = ov.tanh %m : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %back = ov.reshape %w, %flat : (tensor<8x8xf32>, tensor<1xi64>) -> tensor<64xf32>
    ov.next carried(%back : tensor<64xf32>)
  }
  func.return %r : tensor<64xf32>
}

// -----

// Near miss. Kept: at least 1 ov.transpose in ov.loop.
// CHECK-LABEL: func.func @layout_reshaped_to_and_fro_near_miss(
// CHECK-NEXT: %wide = ov.constant dense<[4, 8]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %flat = ov.constant dense<32> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<32xf32>) -> tensor<32xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<32xf32>):
// CHECK-NEXT: %t = ov.reshape %v, %wide : (tensor<32xf32>, tensor<2xi64>) -> tensor<4x8xf32>
// CHECK-NEXT: %m = ov.multiply %t, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %back = ov.transpose %w, %order : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
// CHECK-NEXT: %f = ov.reshape %back, %flat : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<32xf32>
// CHECK-NEXT: ov.next carried(%f : tensor<32xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<32xf32>
// CHECK-NEXT: }
// Between the reshapes the axes are exchanged: a trip moves the elements.
func.func @layout_reshaped_to_and_fro_near_miss(%n: tensor<i64>, %x: tensor<32xf32>, %a: tensor<4x8xf32>) -> tensor<32xf32> {
  %wide = ov.constant dense<[4, 8]> : tensor<2xi64> : tensor<2xi64>
  %flat = ov.constant dense<[32]> : tensor<1xi64> : tensor<1xi64>
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<32xf32>):
    %t = ov.reshape %v, %wide : (tensor<32xf32>, tensor<2xi64>) -> tensor<4x8xf32>
    %m = ov.multiply %t, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %w = ov.tanh %m : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %back = ov.transpose %w, %order : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
    %f = ov.reshape %back, %flat : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<32xf32>
    ov.next carried(%f : tensor<32xf32>)
  }
  func.return %r : tensor<32xf32>
}

// -----

// A state that gets an axis in each trip, and loses it again, is carried with it.
// Asked: at most 0 ov.unsqueeze in ov.loop, at most 0 ov.squeeze in ov.loop, at most 0 ov.reshape in ov.loop.
// CHECK-LABEL: func.func @layout_unsqueezed_to_and_fro(
// CHECK-NEXT: %0 = ov.constant dense<[1, 16]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.reshape %x, %0 : (tensor<16xf32>, tensor<2xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%1) : (tensor<i64>, tensor<1x16xf32>) -> tensor<1x16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>):
// CHECK-NEXT: %m = ov.mat_mul %v, %a : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %2 = ov.constant dense<16> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %r_1 = ov.reshape %r, %2 : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: func.return %r_1 : tensor<16xf32>
// CHECK-NEXT: }
func.func @layout_unsqueezed_to_and_fro(%n: tensor<i64>, %x: tensor<16xf32>, %a: tensor<16x16xf32>) -> tensor<16xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16xf32>):
    %t = ov.unsqueeze %v, %axis : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
    %m = ov.mat_mul %t, %a : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %w = ov.tanh %m : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %back = ov.squeeze %w, %axis : (tensor<1x16xf32>, tensor<1xi64>) -> tensor<16xf32>
    ov.next carried(%back : tensor<16xf32>)
  }
  func.return %r : tensor<16xf32>
}

// -----

// Near miss. Kept: at least 1 ov.unsqueeze in ov.loop.
// CHECK-LABEL: func.func @layout_unsqueezed_to_and_fro_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %column = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16xf32>) -> tensor<16xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<16xf32>):
// CHECK-NEXT: %t = ov.unsqueeze %v, %axis : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
// CHECK-NEXT: %c = ov.unsqueeze %v, %column : (tensor<16xf32>, tensor<1xi64>) -> tensor<16x1xf32>
// CHECK-NEXT: %o = ov.mat_mul %c, %t : (tensor<16x1xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %m = ov.multiply %o, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %s = ov.reduce_max %m, %axis : (tensor<16x16xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK-NEXT: %w = ov.tanh %s : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<16xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<16xf32>
// CHECK-NEXT: }
// The row becomes a column: its product is one of other elements.
func.func @layout_unsqueezed_to_and_fro_near_miss(%n: tensor<i64>, %x: tensor<16xf32>, %a: tensor<16x16xf32>) -> tensor<16xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %column = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16xf32>):
    %t = ov.unsqueeze %v, %axis : (tensor<16xf32>, tensor<1xi64>) -> tensor<1x16xf32>
    %c = ov.unsqueeze %v, %column : (tensor<16xf32>, tensor<1xi64>) -> tensor<16x1xf32>
    %o = ov.mat_mul %c, %t : (tensor<16x1xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
    %m = ov.multiply %o, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = ov.reduce_max %m, %axis : (tensor<16x16xf32>, tensor<1xi64>) -> tensor<16xf32>
    %w = ov.tanh %s : (tensor<16xf32>) -> tensor<16xf32>
    ov.next carried(%w : tensor<16xf32>)
  }
  func.return %r : tensor<16xf32>
}

// -----

// Integers that are widened, added, multiplied and narrowed in each trip wrap alike in either type.
// Asked: at most 0 ov.convert in ov.loop.
// CHECK-LABEL: func.func @layout_widened_and_narrowed(
// CHECK-NEXT: %0 = ov.convert %a {destination_type = i32} : (tensor<8xi64>) -> tensor<8xi32>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8xi32>):
// CHECK-NEXT: %m = ov.multiply %v, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK-NEXT: %s = ov.add %m, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK-NEXT: ov.next carried(%s : tensor<8xi32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<8xi32>
// CHECK-NEXT: }
func.func @layout_widened_and_narrowed(%n: tensor<i64>, %x: tensor<8xi32>, %a: tensor<8xi64>) -> tensor<8xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xi32>):
    %t = ov.convert %v {destination_type = i64} : (tensor<8xi32>) -> tensor<8xi64>
    %m = ov.multiply %t, %a : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    %s = ov.add %m, %a : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    %back = ov.convert %s {destination_type = i32} : (tensor<8xi64>) -> tensor<8xi32>
    ov.next carried(%back : tensor<8xi32>)
  }
  func.return %r : tensor<8xi32>
}

// -----

// Near miss. Kept: at least 2 ov.convert in ov.loop.
// CHECK-LABEL: func.func @layout_widened_and_narrowed_near_miss(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf16>) -> tensor<8xf16> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8xf16>):
// CHECK-NEXT: %t = ov.convert %v {destination_type = f32} : (tensor<8xf16>) -> tensor<8xf32>
// CHECK-NEXT: %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %s = ov.add %m, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %back = ov.convert %s {destination_type = f16} : (tensor<8xf32>) -> tensor<8xf16>
// CHECK-NEXT: ov.next carried(%back : tensor<8xf16>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<8xf16>
// CHECK-NEXT: }
// Floats: to narrow is to round, in each trip.
func.func @layout_widened_and_narrowed_near_miss(%n: tensor<i64>, %x: tensor<8xf16>, %a: tensor<8xf32>) -> tensor<8xf16> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf16>) -> tensor<8xf16> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf16>):
    %t = ov.convert %v {destination_type = f32} : (tensor<8xf16>) -> tensor<8xf32>
    %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s = ov.add %m, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %back = ov.convert %s {destination_type = f16} : (tensor<8xf32>) -> tensor<8xf16>
    ov.next carried(%back : tensor<8xf16>)
  }
  func.return %r : tensor<8xf16>
}

// -----

// A state that is carried in f64 and computed in f32 is carried in f32.
// Asked: at most 0 ov.convert in ov.loop.
// CHECK-LABEL: func.func @layout_carried_wider_than_computed(
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<8xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = ov.convert %r {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
// CHECK-NEXT: func.return %r_1 : tensor<8xf64>
// CHECK-NEXT: }
func.func @layout_carried_wider_than_computed(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf64> {
  %wide = ov.convert %x {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
  %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<8xf64>) -> tensor<8xf32>
    %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %w = ov.tanh %m : (tensor<8xf32>) -> tensor<8xf32>
    %back = ov.convert %w {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
    ov.next carried(%back : tensor<8xf64>)
  }
  func.return %r : tensor<8xf64>
}

// -----

// Near miss. Kept: at least 2 ov.convert in ov.loop.
// CHECK-LABEL: func.func @layout_carried_wider_than_computed_near_miss(
// CHECK-NEXT: %wide = ov.convert %x {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
// CHECK-NEXT: %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8xf64>):
// CHECK-NEXT: %t = ov.convert %v {destination_type = f32} : (tensor<8xf64>) -> tensor<8xf32>
// CHECK-NEXT: %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %back = ov.convert %w {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
// CHECK-NEXT: %s = ov.add %back, %v : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
// CHECK-NEXT: ov.next carried(%s : tensor<8xf64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<8xf64>
// CHECK-NEXT: }
// What is carried has more digits than what is computed: a sum of both is kept.
func.func @layout_carried_wider_than_computed_near_miss(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf64> {
  %wide = ov.convert %x {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
  %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<8xf64>) -> tensor<8xf32>
    %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %w = ov.tanh %m : (tensor<8xf32>) -> tensor<8xf32>
    %back = ov.convert %w {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
    %s = ov.add %back, %v : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    ov.next carried(%s : tensor<8xf64>)
  }
  func.return %r : tensor<8xf64>
}

// -----

// Slices that are transposed are slices of the transposed input.
// Asked: at most 0 ov.transpose in ov.loop, at most 0 ov.reshape in ov.loop.
// CHECK-LABEL: func.func @layout_transposed_slices(
// CHECK-NEXT: %0 = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %1 = ov.transpose %x, %0 : (tensor<8x100xf32>, tensor<2xi64>) -> tensor<100x8xf32>
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%1) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x8xf32>, tensor<100x8xf32>) -> (tensor<1x8xf32>, tensor<100x8xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x8xf32>, %p: tensor<1x8xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<1x8xf32>) concat(%w : tensor<1x8xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x8xf32>
// CHECK-NEXT: }
func.func @layout_transposed_slices(%x: tensor<8x100xf32>, %a: tensor<1x8xf32>) -> tensor<100x8xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x8xf32>, tensor<8x100xf32>) -> (tensor<1x8xf32>, tensor<100x8xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x8xf32>, %p: tensor<8x1xf32>):
    %t = ov.transpose %p, %order : (tensor<8x1xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    %m = ov.multiply %v, %t : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %w = ov.tanh %m : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ov.next carried(%w : tensor<1x8xf32>) concat(%w : tensor<1x8xf32>)
  }
  func.return %all : tensor<100x8xf32>
}

// -----

// Near miss. Kept: at least 1 ov.transpose in ov.loop.
// CHECK-LABEL: func.func @layout_transposed_slices_near_miss(
// CHECK-NEXT: %order = ov.constant dense<[0, 2, 1]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x, %flags) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0, end = 100>], concats = [#ov.slice<axis = 0>]} : (tensor<1x8x8xf32>, tensor<100x8x8xf32>, tensor<100xi1>) -> (tensor<1x8x8xf32>, tensor<100x8x8xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x8x8xf32>, %p: tensor<1x8x8xf32>, %0: tensor<1xi1>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
// CHECK-NEXT: %w = ov.tanh %m : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
// CHECK-NEXT: %1 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %c = ov.reshape %0, %1 : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: %q = ov.if %c -> (tensor<1x8x8xf32>) {
// CHECK-NEXT: %t = ov.transpose %w, %order : (tensor<1x8x8xf32>, tensor<3xi64>) -> tensor<1x8x8xf32>
// CHECK-NEXT: ov.yield %t : tensor<1x8x8xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %w : tensor<1x8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%q : tensor<1x8x8xf32>) concat(%q : tensor<1x8x8xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x8x8xf32>
// CHECK-NEXT: }
// The order of the axes depends on the trip's data: what is a row is chosen.
func.func @layout_transposed_slices_near_miss(%x: tensor<100x8x8xf32>, %a: tensor<1x8x8xf32>, %flags: tensor<100xi1>) -> tensor<100x8x8xf32> {
  %order = ov.constant dense<[0, 2, 1]> : tensor<3xi64> : tensor<3xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x8x8xf32>, tensor<100x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<100x8x8xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x8x8xf32>, %p: tensor<1x8x8xf32>):
    %m = ov.multiply %v, %p : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %w = ov.tanh %m : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %c = ov.gather %flags, %i, %axis : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %q = ov.if %c -> (tensor<1x8x8xf32>) {
      %t = ov.transpose %w, %order : (tensor<1x8x8xf32>, tensor<3xi64>) -> tensor<1x8x8xf32>
      ov.yield %t : tensor<1x8x8xf32>
    } else {
      ov.yield %w : tensor<1x8x8xf32>
    }
    ov.next carried(%q : tensor<1x8x8xf32>) concat(%q : tensor<1x8x8xf32>)
  }
  func.return %all : tensor<100x8x8xf32>
}

// -----

// A carried value that is the slice of the trip before is a slice, shifted by one.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @carried_slice_of_the_trip_before(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<99> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.slice %x, %0, %1, %2, %0 : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<99x4xf32>
// CHECK-NEXT: %4 = ov.concat %a, %3 {axis = 0 : i64} : (tensor<1x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %d = ov.subtract %x, %4 : (tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %q = ov.abs %d : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %q : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @carried_slice_of_the_trip_before(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.abs %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @carried_slice_of_the_trip_before_near_miss(
// CHECK-NEXT: %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %d = ov.multiply %p, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// What is carried is the difference.
func.func @carried_slice_of_the_trip_before_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.multiply %p, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%q : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Carried values that hand the slice of two trips before on are slices, shifted by one and two.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @carried_slice_of_two_trips_before(
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<99> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.slice %x, %0, %1, %2, %0 : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<99x4xf32>
// CHECK-NEXT: %4 = ov.concat %b, %3 {axis = 0 : i64} : (tensor<1x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %5 = ov.slice %4, %0, %1, %2, %0 : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<99x4xf32>
// CHECK-NEXT: %6 = ov.concat %a, %5 {axis = 0 : i64} : (tensor<1x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %d = ov.add %6, %4 : (tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %e = ov.add %d, %x : (tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %q = ov.exp %e : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %q : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @carried_slice_of_two_trips_before(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.add %u, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.add %d, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.exp %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%v, %p : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @carried_slice_of_two_trips_before_near_miss(
// CHECK-NEXT: %zero = ov.constant dense<0.000000e+00> : tensor<1x4xf32> : tensor<1x4xf32>
// CHECK-NEXT: %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %d = ov.add %u, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.multiply %d, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %q = ov.exp %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %c = ov.less %p, %zero : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
// CHECK-NEXT: %kept = ov.select %c, %q, %p : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%v, %kept : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// Where the slice is negative the result takes its place: what comes next depends on it.
func.func @carried_slice_of_two_trips_before_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.add %u, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.multiply %d, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.exp %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = ov.less %p, %zero : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %kept = ov.select %c, %q, %p : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%v, %kept : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// A carried value that is a function of the slice of the trip before is a shifted slice of the function.
// Asked: at most 1 carried values, at most 0 ov.exp in ov.loop.
// CHECK-LABEL: func.func @carried_function_of_the_slice_before(
// CHECK-NEXT: %e = ov.exp %x : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<99> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.slice %e, %0, %1, %2, %0 : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<99x4xf32>
// CHECK-NEXT: %4 = ov.concat %a, %3 {axis = 0 : i64} : (tensor<1x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %s, %all = ov.loop carried(%b) sliced(%4) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %before: tensor<1x4xf32>):
// CHECK-NEXT: %d = ov.multiply %v, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%q : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @carried_function_of_the_slice_before(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %v, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %q : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values, at least 1 ov.exp in ov.loop.
// CHECK-LABEL: func.func @carried_function_of_the_slice_before_near_miss(
// CHECK-NEXT: %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %f = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.exp %f : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %d = ov.multiply %v, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%e, %q : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
// The function is also one of the state.
func.func @carried_function_of_the_slice_before_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %before: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %f = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %f : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %v, %before : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %q : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// A table of zeros whose every row a trip writes is what the trips join.
// Asked: at most 0 ov.loop, at most 0 ov.scatter_nd_update.
// CHECK-LABEL: func.func @scatter_of_every_row(
// CHECK-NEXT: %e = ov.exp %x : (tensor<100x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %e : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @scatter_of_every_row(%x: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<100x4xf32> : tensor<100x4xf32>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_row = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %table = ov.loop trip(%trips) carried(%zeros) : (tensor<i64>, tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %e = ov.exp %g : (tensor<4xf32>) -> tensor<4xf32>
    %row = ov.reshape %e, %one_row : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %row : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.scatter_nd_update in ov.loop.
// CHECK-LABEL: func.func @scatter_of_every_row_near_miss(
// CHECK-NEXT: %zeros = ov.constant dense<0.000000e+00> : tensor<100x4xf32> : tensor<100x4xf32>
// CHECK-NEXT: %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one_row = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %table = ov.loop trip(%trips) carried(%zeros) sliced(%y, %x) {slices = [#ov.slice<axis = 0, end = 100>, #ov.slice<axis = 0, end = 100>]} : (tensor<i64>, tensor<100x4xf32>, tensor<100x1xi64>, tensor<100x4xf32>) -> tensor<100x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %0: tensor<1x1xi64>, %1: tensor<1x4xf32>):
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %a = ov.reshape %0, %2 : (tensor<1x1xi64>, tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %at = ov.reshape %a, %one : (tensor<1xi64>, tensor<2xi64>) -> tensor<1x1xi64>
// CHECK-NEXT: %3 = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %g = ov.reshape %1, %3 : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
// CHECK-NEXT: %e = ov.exp %g : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %old = ov.gather_nd %t, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %row = ov.reshape %e, %one_row : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.multiply %old, %row : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %new = ov.subtract %row, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.scatter_nd_update %t, %at, %new : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<100x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %table : tensor<100x4xf32>
// CHECK-NEXT: }
// The place of a row is data: two rows may have one place, and a place none.
func.func @scatter_of_every_row_near_miss(%x: tensor<100x4xf32>, %y: tensor<100x1xi64>) -> tensor<100x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<100x4xf32> : tensor<100x4xf32>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_row = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %table = ov.loop trip(%trips) carried(%zeros) : (tensor<i64>, tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>):
    %a = ov.gather %y, %i, %axis {out_of_range = "error"} : (tensor<100x1xi64>, tensor<i64>, tensor<i64>) -> tensor<1xi64>
    %at = ov.reshape %a, %one : (tensor<1xi64>, tensor<2xi64>) -> tensor<1x1xi64>
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %e = ov.exp %g : (tensor<4xf32>) -> tensor<4xf32>
    %old = ov.gather_nd %t, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %row = ov.reshape %e, %one_row : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %old, %row : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %new = ov.subtract %row, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %new : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// A table whose every row is a state of the loop is joined, without zeros before.
// Asked: at most 0 ov.scatter_nd_update in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @scatter_of_every_state(
// CHECK-NEXT: %v_end, %table = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %table : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @scatter_of_every_state(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<100x4xf32> : tensor<100x4xf32>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %v_end, %table = ov.loop carried(%a, %zeros) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.scatter_nd_update in ov.loop.
// CHECK-LABEL: func.func @scatter_of_every_state_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %v_end, %table = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<200x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<200x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<200x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %even = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %at = ov.reshape %even, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
// CHECK-NEXT: %old = ov.gather_nd %t, %at : (tensor<200x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %q = ov.multiply %v, %old : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.add %q, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.scatter_nd_update %t, %at, %s : (tensor<200x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<200x4xf32>
// CHECK-NEXT: ov.next carried(%s, %w : tensor<1x4xf32>, tensor<200x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %table : tensor<200x4xf32>
// CHECK-NEXT: }
// Only rows of even numbers are written: the others are what they were.
func.func @scatter_of_every_state_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %y: tensor<200x4xf32>) -> tensor<200x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %v_end, %table = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<200x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<200x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<200x4xf32>, %p: tensor<1x4xf32>):
    %even = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.reshape %even, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %old = ov.gather_nd %t, %at : (tensor<200x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %q = ov.multiply %v, %old : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.add %q, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<200x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<200x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<200x4xf32>)
  }
  func.return %table : tensor<200x4xf32>
}

// -----

// A row that is read where it was just written is what was written.
// Asked: at most 0 ov.gather_nd in ov.loop, at most 0 ov.gather in ov.loop, at most 0 ov.slice in ov.loop.
// CHECK-LABEL: func.func @scatter_and_gather_of_one_row(
// CHECK-NEXT: %v_end, %table = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.exp %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%e : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v_end, %table : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
func.func @scatter_and_gather_of_one_row(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %v_end, %table = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    %row = ov.gather_nd %w, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %e = ov.exp %row : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %w : tensor<1x4xf32>, tensor<100x4xf32>)
  }
  func.return %v_end, %table : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.gather_nd in ov.loop.
// CHECK-LABEL: func.func @scatter_and_gather_of_one_row_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %v_end, %table = ov.loop carried(%a, %y) sliced(%x, %z) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>, tensor<100x1xi64>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x1xi64>):
// CHECK-NEXT: %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: %row = ov.gather_nd %w, %q : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %e = ov.exp %row : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%e, %w : tensor<1x4xf32>, tensor<100x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v_end, %table : tensor<1x4xf32>, tensor<100x4xf32>
// CHECK-NEXT: }
// The row that is read is another one, or the same: its place is data.
func.func @scatter_and_gather_of_one_row_near_miss(%x: tensor<100x4xf32>, %y: tensor<100x4xf32>, %a: tensor<1x4xf32>, %z: tensor<100x1xi64>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %v_end, %table = ov.loop carried(%a, %y) sliced(%x, %z) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>, tensor<100x4xf32>, tensor<100x1xi64>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x1xi64>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    %row = ov.gather_nd %w, %q : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %e = ov.exp %row : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %w : tensor<1x4xf32>, tensor<100x4xf32>)
  }
  func.return %v_end, %table : tensor<1x4xf32>, tensor<100x4xf32>
}

// -----

// A row that is read where the trip before wrote it is carried.
// Asked: at most 0 ov.gather_nd in ov.loop, at most 0 ov.gather in ov.loop, at most 0 ov.slice in ov.loop.
// CHECK-LABEL: func.func @gather_of_the_row_of_the_trip_before(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one_number = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.gather %y, %1, %0 : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
// CHECK-NEXT: %table, %table_1 = ov.loop carried(%y, %2) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>, tensor<1x4xf32>, tensor<99x4xf32>) -> (tensor<100x4xf32>, tensor<1x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %row: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %row, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %after = ov.add %i, %one_number : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %place = ov.reshape %after, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
// CHECK-NEXT: %w = ov.scatter_nd_update %t, %place, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: ov.next carried(%w, %s : tensor<100x4xf32>, tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %table : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @gather_of_the_row_of_the_trip_before(%x: tensor<99x4xf32>, %y: tensor<100x4xf32>) -> tensor<100x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_number = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %table = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %row = ov.gather_nd %t, %at : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %row, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %after = ov.add %i, %one_number : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %place = ov.reshape %after, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %place, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.gather_nd in ov.loop.
// CHECK-LABEL: func.func @gather_of_the_row_of_the_trip_before_near_miss(
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %one_number = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %table = ov.loop carried(%y) sliced(%x, %z) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<100x4xf32>, tensor<99x4xf32>, tensor<99x1xi64>) -> tensor<100x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x1xi64>):
// CHECK-NEXT: %row = ov.gather_nd %t, %q : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.multiply %row, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %after = ov.add %i, %one_number : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %place = ov.reshape %after, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
// CHECK-NEXT: %w = ov.scatter_nd_update %t, %place, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: ov.next carried(%w : tensor<100x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %table : tensor<100x4xf32>
// CHECK-NEXT: }
// The row that is read may be any of those before.
func.func @gather_of_the_row_of_the_trip_before_near_miss(%x: tensor<99x4xf32>, %y: tensor<100x4xf32>, %z: tensor<99x1xi64>) -> tensor<100x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %one_number = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %table = ov.loop carried(%y) sliced(%x, %z) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<100x4xf32>, tensor<99x4xf32>, tensor<99x1xi64>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<100x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x1xi64>):
    %row = ov.gather_nd %t, %q : (tensor<100x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %row, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %after = ov.add %i, %one_number : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %place = ov.reshape %after, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %place, %s : (tensor<100x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<100x4xf32>
    ov.next carried(%w : tensor<100x4xf32>)
  }
  func.return %table : tensor<100x4xf32>
}

// -----

// A carried value that grows by a row in each trip is what the trips join.
// Asked: at most 0 ov.concat in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @growth_by_concat(
// CHECK-NEXT: %v_end, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<?x4xf32>
// CHECK-NEXT: }
func.func @growth_by_concat(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %v_end, %all = ov.loop trip(%n) carried(%x, %none) : (tensor<i64>, tensor<1x4xf32>, tensor<0x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>):
    %m = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @growth_by_concat_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %v_end, %all = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>):
// CHECK-NEXT: %g = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.multiply %v, %g : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %h = ov.add %m, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %h : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<?x4xf32>
// CHECK-NEXT: }
// Each trip reads all that is there so far: its greatest element.
func.func @growth_by_concat_near_miss(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>):
    %g = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %m = ov.multiply %v, %g : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %h = ov.add %m, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %h : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// A carried value that grows, and is not empty at first, is joined behind its beginning.
// Asked: at most 0 ov.concat in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @growth_behind_what_is_there(
// CHECK-NEXT: %v_end, %0 = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %all = ov.concat %y, %0 {axis = 0 : i64} : (tensor<3x4xf32>, tensor<100x4xf32>) -> tensor<103x4xf32>
// CHECK-NEXT: func.return %all : tensor<103x4xf32>
// CHECK-NEXT: }
func.func @growth_behind_what_is_there(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %y: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %v_end, %all = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @growth_behind_what_is_there_near_miss(
// CHECK-NEXT: %from = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %to = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<3x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<3x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %g = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %h = ov.add %g, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %m = ov.multiply %v, %h : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %k = ov.slice %w, %from, %to, %from, %axis : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x4xf32>
// CHECK-NEXT: ov.next carried(%s, %k : tensor<1x4xf32>, tensor<3x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<3x4xf32>
// CHECK-NEXT: }
// What is carried on are the last three rows only: they are cut in each trip.
func.func @growth_behind_what_is_there_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %from = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %to = ov.constant dense<[4]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a, %y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<3x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<3x4xf32>, %p: tensor<1x4xf32>):
    %g = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %h = ov.add %g, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.multiply %v, %h : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %k = ov.slice %w, %from, %to, %from, %axis : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x4xf32>
    ov.next carried(%s, %k : tensor<1x4xf32>, tensor<3x4xf32>)
  }
  func.return %all : tensor<3x4xf32>
}

// -----

// A carried value that grows in front is what the trips join, reversed.
// Asked: at most 0 ov.concat in ov.loop, at most 1 carried values.
// CHECK-LABEL: func.func @growth_in_front(
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<100x4xf32>
// CHECK-NEXT: }
func.func @growth_in_front(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %v_end, %all = ov.loop carried(%a, %none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<0x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %s, %t {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// Near miss. Kept: at least 2 carried values.
// CHECK-LABEL: func.func @growth_in_front_near_miss(
// CHECK-NEXT: %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a, %none) sliced(%x, %flags) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0, end = 100>]} : (tensor<1x4xf32>, tensor<0x4xf32>, tensor<100x4xf32>, tensor<100xi1>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>, %0: tensor<1xi1>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %1 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %c = ov.reshape %0, %1 : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
// CHECK-NEXT: %w = ov.if %c -> (tensor<?x4xf32>) {
// CHECK-NEXT: %q = ov.concat %s, %t {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: ov.yield %q : tensor<?x4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %q_1 = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: ov.yield %q_1 : tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<?x4xf32>
// CHECK-NEXT: }
// A row is put in front or behind, as the data says.
func.func @growth_in_front_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %flags: tensor<100xi1>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %v_end, %all = ov.loop carried(%a, %none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<0x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = ov.gather %flags, %i, %axis : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<?x4xf32>) {
      %q = ov.concat %s, %t {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      ov.yield %q : tensor<?x4xf32>
    } else {
      %q = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
      ov.yield %q : tensor<?x4xf32>
    }
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// Of joined parts of which only the maximum is read none is joined: it is carried.
// Asked: at most 0 concatenations.
// CHECK-LABEL: func.func @joined_for_its_maximum(
// CHECK-NEXT: %0 = ov.constant dense<0xff800000> : tensor<1x4xf32> : tensor<1x4xf32>
// CHECK-NEXT: %v_end, %most = ov.loop carried(%a, %0) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %1: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %2 = ov.maximum %1, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s, %2 : tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %most : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @joined_for_its_maximum(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %most : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @joined_for_its_maximum_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: %r = ov.subtract %all, %most : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xf32>
// CHECK-NEXT: func.return %r : tensor<100x4xf32>
// CHECK-NEXT: }
// The parts are needed again, less their maximum.
func.func @joined_for_its_maximum_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<100x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %r = ov.subtract %all, %most : (tensor<100x4xf32>, tensor<1x4xf32>) -> tensor<100x4xf32>
  func.return %r : tensor<100x4xf32>
}

// -----

// Of joined integers of which only the sum is read none is joined: it is carried.
// Asked: at most 0 concatenations.
// CHECK-LABEL: func.func @joined_for_its_sum(
// CHECK-NEXT: %thousand = ov.constant dense<1000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1x4xi64> : tensor<1x4xi64>
// CHECK-NEXT: %v_end, %sum = ov.loop carried(%a, %0) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<1x4xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %1: tensor<1x4xi64>, %p: tensor<1x4xi64>):
// CHECK-NEXT: %m = ov.multiply %v, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %d = ov.subtract %m, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %s = ov.floor_mod %d, %thousand : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
// CHECK-NEXT: %2 = ov.add %1, %s : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%s, %2 : tensor<1x4xi64>, tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<1x4xi64>
// CHECK-NEXT: }
func.func @joined_for_its_sum(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %thousand = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %m = ov.multiply %v, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %d = ov.subtract %m, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %s = ov.floor_mod %d, %thousand : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    ov.next carried(%s : tensor<1x4xi64>) concat(%s : tensor<1x4xi64>)
  }
  %sum = ov.reduce_sum %all, %axis {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
  func.return %sum : tensor<1x4xi64>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @joined_for_its_sum_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %thousand = ov.constant dense<1000> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
// CHECK-NEXT: %m = ov.multiply %v, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %d = ov.subtract %m, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
// CHECK-NEXT: %s = ov.floor_mod %d, %thousand : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xi64>) concat(%s : tensor<1x4xi64>)
// CHECK-NEXT: }
// CHECK-NEXT: %sums = ov.cum_sum %all, %axis {reverse = true} : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
// CHECK-NEXT: %r = ov.multiply %sums, %all : (tensor<100x4xi64>, tensor<100x4xi64>) -> tensor<100x4xi64>
// CHECK-NEXT: func.return %r : tensor<100x4xi64>
// CHECK-NEXT: }
// A sum that begins at the last part, as far as each: all are needed before the first is known.
func.func @joined_for_its_sum_near_miss(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %thousand = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %m = ov.multiply %v, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %d = ov.subtract %m, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %s = ov.floor_mod %d, %thousand : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    ov.next carried(%s : tensor<1x4xi64>) concat(%s : tensor<1x4xi64>)
  }
  %sums = ov.cum_sum %all, %axis {reverse = true} : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
  %r = ov.multiply %sums, %all : (tensor<100x4xi64>, tensor<100x4xi64>) -> tensor<100x4xi64>
  func.return %r : tensor<100x4xi64>
}

// -----

// Of joined parts of which a slice reads only the last none is joined, nor computed before.
// Asked: at most 0 concatenations, at most 0 ov.exp in ov.loop.
// CHECK-LABEL: func.func @joined_for_its_last_rows(
// CHECK-NEXT: %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %e = ov.exp %v_end : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %e : tensor<1x4xf32>
// CHECK-NEXT: }
func.func @joined_for_its_last_rows(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %from = ov.constant dense<[99]> : tensor<1xi64> : tensor<1xi64>
  %to = ov.constant dense<[100]> : tensor<1xi64> : tensor<1xi64>
  %step = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%e : tensor<1x4xf32>)
  }
  %last = ov.slice %all, %from, %to, %step, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %last : tensor<1x4xf32>
}

// -----

// Near miss. Kept: at least 1 concatenations.
// CHECK-LABEL: func.func @joined_for_its_last_rows_near_miss(
// CHECK-NEXT: %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %hundred = ov.constant dense<1.000000e+02> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
// CHECK-NEXT: %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %most = ov.reduce_max %v_end, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
// CHECK-NEXT: %scaled = ov.multiply %most, %hundred : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %number = ov.convert %scaled {destination_type = i64} : (tensor<f32>) -> tensor<i64>
// CHECK-NEXT: %at = ov.clamp %number {min = 0.000000e+00 : f64, max = 9.900000e+01 : f64} : (tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %k = ov.reshape %at, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %row = ov.gather %all, %k, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
// CHECK-NEXT: func.return %row : tensor<1x4xf32>
// CHECK-NEXT: }
// Which row is read is known behind the loop only.
func.func @joined_for_its_last_rows_near_miss(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %hundred = ov.constant dense<100.0> : tensor<f32> : tensor<f32>
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %v_end, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
  %scaled = ov.multiply %most, %hundred : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %number = ov.convert %scaled {destination_type = i64} : (tensor<f32>) -> tensor<i64>
  %at = ov.clamp %number {min = 0.0 : f64, max = 99.0 : f64} : (tensor<i64>) -> tensor<i64>
  %k = ov.reshape %at, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %row = ov.gather %all, %k, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  func.return %row : tensor<1x4xf32>
}

// -----

// A function of each element of a sequence of equal slices is done on the tensor they are of.
// Asked: at most 0 ov.loop.
// CHECK-LABEL: func.func @sequence_map_of_equal_slices(
// CHECK-NEXT: %t = ov.tanh %x : (tensor<65x4xf32>) -> tensor<65x4xf32>
// CHECK-NEXT: func.return %t : tensor<65x4xf32>
// CHECK-NEXT: }
func.func @sequence_map_of_equal_slices(%x: tensor<65x4xf32>) -> tensor<65x4xf32> {
  %parts = ovseq.split %x {axis = 0 : i64, keepdims = false} : (tensor<65x4xf32>) -> !ovseq.sequence<tensor<4xf32>>
  %empty = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %trips = ov.constant dense<65> : tensor<i64> : tensor<i64>
  %out = ov.loop trip(%trips) carried(%empty) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>) -> !ovseq.sequence<tensor<4xf32>> {
  ^bb0(%i: tensor<i64>, %s: !ovseq.sequence<tensor<4xf32>>):
    %e = ovseq.at %parts, %i : (!ovseq.sequence<tensor<4xf32>>, tensor<i64>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %w = ovseq.insert %s, %t : (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) -> !ovseq.sequence<tensor<4xf32>>
    ov.next carried(%w : !ovseq.sequence<tensor<4xf32>>)
  }
  %all = ovseq.concat %out {axis = 0 : i64, new_axis = true} : (!ovseq.sequence<tensor<4xf32>>) -> tensor<65x4xf32>
  func.return %all : tensor<65x4xf32>
}

// -----

// Near miss. Kept: at least 1 ov.loop.
// CHECK-LABEL: func.func @sequence_map_of_equal_slices_near_miss(
// CHECK-NEXT: %trips = ov.constant dense<65> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %v_end, %all = ov.loop trip(%trips) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, end = 65>], concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>, tensor<65x4xf32>) -> (tensor<4xf32>, tensor<65x4xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %0: tensor<1x4xf32>):
// CHECK-NEXT: %1 = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %e = ov.reshape %0, %1 : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
// CHECK-NEXT: %m = ov.multiply %e, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %t = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.unsqueeze %t, %2 : (tensor<4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next carried(%t : tensor<4xf32>) concat(%3 : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : tensor<65x4xf32>
// CHECK-NEXT: }
// Each element is multiplied with what was made of the one before.
func.func @sequence_map_of_equal_slices_near_miss(%x: tensor<65x4xf32>, %a: tensor<4xf32>) -> tensor<65x4xf32> {
  %parts = ovseq.split %x {axis = 0 : i64, keepdims = false} : (tensor<65x4xf32>) -> !ovseq.sequence<tensor<4xf32>>
  %empty = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %trips = ov.constant dense<65> : tensor<i64> : tensor<i64>
  %out, %v_end = ov.loop trip(%trips) carried(%empty, %a) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>, tensor<4xf32>) -> (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: !ovseq.sequence<tensor<4xf32>>, %v: tensor<4xf32>):
    %e = ovseq.at %parts, %i : (!ovseq.sequence<tensor<4xf32>>, tensor<i64>) -> tensor<4xf32>
    %m = ov.multiply %e, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    %w = ovseq.insert %s, %t : (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) -> !ovseq.sequence<tensor<4xf32>>
    ov.next carried(%w, %t : !ovseq.sequence<tensor<4xf32>>, tensor<4xf32>)
  }
  %all = ovseq.concat %out {axis = 0 : i64, new_axis = true} : (!ovseq.sequence<tensor<4xf32>>) -> tensor<65x4xf32>
  func.return %all : tensor<65x4xf32>
}
