// RUN: loomir-opt %s -p 'convert-ov-loop-to-scf' | filecheck %s
// RUN: loomir-opt %s -p 'convert-ov-loop-to-scf,convert-ov-to-linalg,licm' | filecheck %s --check-prefix=LICM
// RUN: loomir-opt %s -p 'convert-ov-loop-to-scf,scf-for-loop-peeling{peel-front=true}' | filecheck %s --check-prefix=PEEL
// RUN: loomir-opt %s -p 'convert-ov-loop-to-scf,convert-ov-to-linalg,canonicalize' | filecheck %s --check-prefix=SWAP

// Counts of a profile go over to scf, where nothing is hoisted out of a loop that rarely runs.
// A peeled loop runs less often than the profile says. Arms that are exchanged keep their counts.
// CHECK: scf.for
// CHECK: scf.if
// CHECK: {loomir.arms = array<i64: 3, 9>}
// CHECK: } {loomir.trips = array<i64: 0, 9, 4, 2>}
// LICM-NOT: math.exp
// LICM: scf.for
// LICM: math.exp
// PEEL-NOT: loomir.trips
// SWAP: loomir.arms = array<i64: 9, 3>
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) {loomir.trips = array<i64: 0, 9, 4, 2>} : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %not = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
    %w = ov.if %not -> (tensor<4xf32>) {
      %a = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield %a : tensor<4xf32>
    } else {
      %b = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %b : tensor<4xf32>
    } {loomir.arms = array<i64: 3, 9>}
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
