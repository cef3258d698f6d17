// RUN: loomir-opt %s -p ov-loop-unroll | filecheck %s
// RUN: loomir-opt %s -p ov-loop-unroll --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p ov-loop-peel | filecheck %s --check-prefix=PEEL
// RUN: loomir-opt %s -p ov-loop-invariant-code-motion | filecheck %s --check-prefix=HOIST
// RUN: loomir-opt %s -p 'ov-if-to-select' | filecheck %s --check-prefix=SELECT
// RUN: loomir-opt %s -p 'canonicalize' | filecheck %s --check-prefix=SWAP

// A trip count that nine in ten entries have gets a version, which is unrolled.
// CHECK-LABEL: @typical
// CHECK: [[SAME:%.*]] = ov.equal %n, [[TWO:%.*]] :
// CHECK: ov.if [[SAME]]
// CHECK: ov.sin %x
// CHECK: ov.sin
// CHECK-NOT: ov.loop
// CHECK: ov.yield
// CHECK: } else {
// CHECK: ov.loop trip(%n) carried(%x) : (
// CHECK: ov.yield
// REMARK: ov-loop-unroll: done: ov.loop: unrolled a version for 2 trips, as in the profile
func.func @typical(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) {loomir.trips = array<i64: 0, 1, 2, 19>} : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: @now_two_now_three
// CHECK-NOT: ov.if
// CHECK: ov.loop
// REMARK: left: ov.loop: its trip count is not known
func.func @now_two_now_three(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) {loomir.trips = array<i64: 2, 5, 3, 5>} : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// A loop that mostly runs once is peeled; without a profile, or with another one, it is not.
// PEEL-LABEL: @once
// PEEL: ov.tanh %x
// PEEL: ov.loop
// PEEL-SAME: -> tensor<4xf32> {
func.func @once(%x: tensor<4xf32>, %go: tensor<i1>) -> tensor<4xf32> {
  %r = ov.loop carried(%x) {loomir.trips = array<i64: 1, 7>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next while(%go) carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// PEEL-LABEL: @often
// PEEL-NEXT: ov.loop
func.func @often(%x: tensor<4xf32>, %go: tensor<i1>) -> tensor<4xf32> {
  %r = ov.loop carried(%x) {loomir.trips = array<i64: 1, 7, 9, 7>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next while(%go) carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// What a loop that rarely runs computes stays in it.
// HOIST-LABEL: @rarely
// HOIST-NEXT: ov.loop
// HOIST: ov.exp
func.func @rarely(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) {loomir.trips = array<i64: 0, 9, 3, 2>} : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// HOIST-LABEL: @runs
// HOIST-NEXT: ov.exp
// HOIST-NEXT: ov.loop
func.func @runs(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) {loomir.trips = array<i64: 0, 4, 3, 2>} : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// Both arms cost 12 additions with the select: more than a branch whose cheap arm is always taken, less than one that
// takes either arm and is often mispredicted.
// SELECT-LABEL: @always_cheap
// SELECT-NEXT: ov.if
func.func @always_cheap(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    %a = ov.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = ov.multiply %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %b : tensor<4xf32>
  } {loomir.arms = array<i64: 100, 0>}
  func.return %r : tensor<4xf32>
}

// SELECT-LABEL: @either
// SELECT-NOT: ov.if
// SELECT: ov.select
func.func @either(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    %a = ov.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = ov.multiply %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %b : tensor<4xf32>
  } {loomir.arms = array<i64: 50, 50>}
  func.return %r : tensor<4xf32>
}

// SELECT-LABEL: @never_reached
// SELECT: ov.select
func.func @never_reached(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    %a = ov.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %a : tensor<4xf32>
  } {loomir.arms = array<i64: 0, 0>}
  func.return %r : tensor<4xf32>
}

// SWAP-LABEL: @negated
// SWAP: loomir.arms = array<i64: 30, 7>
func.func @negated(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %not = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %not -> (tensor<4xf32>) {
    %a = ov.sin %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %a : tensor<4xf32>
  } else {
    %b = ov.cos %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %b : tensor<4xf32>
  } {loomir.arms = array<i64: 7, 30>}
  func.return %r : tensor<4xf32>
}
