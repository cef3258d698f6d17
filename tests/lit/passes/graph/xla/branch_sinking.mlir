// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse' | filecheck %s

// What one branch computes for one branch inside of it moves there.
// CHECK-LABEL: func.func @into_the_inner_branch(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.if %d
// CHECK-NEXT:     %[[D:.*]] = ov.tanh %x
// CHECK-NEXT:     %[[E:.*]] = ov.negative %[[D]]
// CHECK-NEXT:     ov.yield %[[E]]
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[F:.*]] = ov.add %x, %x
// CHECK-NEXT:     ov.yield %[[F]]
// CHECK-NEXT:   }
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @into_the_inner_branch(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %w = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    %p = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %s = ov.if %d -> (tensor<4xf32>) {
      %w = ov.negative %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %w : tensor<4xf32>
    } else {
      ov.yield %q : tensor<4xf32>
    }
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// A chain that one branch reads moves into it (and what both end with behind it).
// CHECK-LABEL: func.func @chain_into_a_branch(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2.500000e-04>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<9.700000e-01>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<[1, 4]>
// CHECK-NEXT: %[[D:.*]] = ov.if %c
// CHECK-NEXT:   %[[E:.*]] = ov.multiply %y, %y
// CHECK-NEXT:   ov.yield %[[E]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[F:.*]] = ov.floor %x
// CHECK-NEXT:   %[[G:.*]] = ov.power %[[B]], %[[F]]
// CHECK-NEXT:   %[[H:.*]] = ov.multiply %[[A]], %[[G]]
// CHECK-NEXT:   ov.yield %[[H]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[I:.*]] = ov.reshape %[[D]], %[[C]]
// CHECK-NEXT: func.return %[[D]], %[[I]]
func.func @chain_into_a_branch(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %rate = ov.constant dense<0.00025> : tensor<f32> : tensor<f32>
  %base = ov.constant dense<0.97> : tensor<f32> : tensor<f32>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %o = ov.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %p = ov.power %base, %o : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %q = ov.multiply %rate, %p : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %r, %s = ov.if %c -> (tensor<4xf32>, tensor<1x4xf32>) {
    %v = ov.multiply %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.reshape %v, %shape {special_zero = false} : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.yield %v, %w : tensor<4xf32>, tensor<1x4xf32>
  } else {
    %w = ov.reshape %q, %shape {special_zero = false} : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.yield %q, %w : tensor<4xf32>, tensor<1x4xf32>
  }
  func.return %r, %s : tensor<4xf32>, tensor<1x4xf32>
}

// So it does if the branch only hands it on,
// CHECK-LABEL: func.func @into_a_branch_that_only_yields(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<9.700000e-01>
// CHECK-NEXT: %[[B:.*]] = ov.if %c
// CHECK-NEXT:   %[[C:.*]] = ov.multiply %y, %y
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[D:.*]] = ov.floor %x
// CHECK-NEXT:   %[[E:.*]] = ov.power %[[A]], %[[D]]
// CHECK-NEXT:   ov.yield %[[E]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @into_a_branch_that_only_yields(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %base = ov.constant dense<0.97> : tensor<f32> : tensor<f32>
  %p = ov.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %q = ov.power %base, %p : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %w = ov.multiply %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    ov.yield %q : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// each to the branch that reads it,
// CHECK-LABEL: func.func @each_into_its_branch(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.add %y, %y
// CHECK-NEXT:   %[[C:.*]] = ov.multiply %[[B]], %[[B]]
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[D:.*]] = ov.floor %x
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @each_into_its_branch(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = ov.add %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %q = ov.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %w = ov.multiply %p, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    ov.yield %q : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// but not if both read it.
// CHECK-LABEL: func.func @what_both_read(
// CHECK-NEXT: %[[A:.*]] = ov.add %x, %y
// CHECK-NEXT: %[[B:.*]] = ov.if %c
// CHECK-NEXT:   %[[C:.*]] = ov.exp %[[A]]
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.yield %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @what_both_read(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = ov.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %w = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    ov.yield %p : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The same sum, read by one of them.
// CHECK-LABEL: func.func @what_one_reads(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.add %x, %y
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @what_one_reads(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = ov.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %w = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    ov.yield %p : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The condition is needed before the branch, and so is what it is made of.
// CHECK-LABEL: func.func @condition_that_a_branch_reads(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[C:.*]] = ov.greater %k, %[[B]]
// CHECK-NEXT: %[[D:.*]] = ov.equal %k, %[[A]]
// CHECK-NEXT: %[[E:.*]] = ov.logical_or %[[C]], %[[D]]
// CHECK-NEXT: %[[F:.*]] = ov.if %[[E]]
// CHECK-NEXT:   %[[G:.*]] = ov.less %m, %n
// CHECK-NEXT:   %[[H:.*]] = ov.logical_or %[[G]], %[[C]]
// CHECK-NEXT:   ov.yield %[[H]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[I:.*]] = ov.equal %m, %n
// CHECK-NEXT:   ov.yield %[[I]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[F]]
func.func @condition_that_a_branch_reads(%k: tensor<i64>, %m: tensor<4xi64>, %n: tensor<4xi64>) -> tensor<4xi1> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  %a = ov.greater %k, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %b = ov.equal %k, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %c = ov.logical_or %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %c -> (tensor<4xi1>) {
    %p = ov.less %m, %n : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %w = ov.logical_or %p, %a : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
    ov.yield %w : tensor<4xi1>
  } else {
    %p = ov.equal %m, %n : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    ov.yield %p : tensor<4xi1>
  }
  func.return %r : tensor<4xi1>
}
