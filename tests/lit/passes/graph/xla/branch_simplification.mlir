// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse,ov-if-to-select' | filecheck %s

// The condition is known: the branch that is taken stands there.
// CHECK-LABEL: func.func @known(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.add %x, %[[A]]
// CHECK-NEXT: func.return %[[B]]
func.func @known(%x: tensor<i32>) -> tensor<i32> {
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %far = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r = ov.if %false -> (tensor<i32>) {
    %w = ov.add %one, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.yield %w : tensor<i32>
  } else {
    %w = ov.add %x, %far : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.yield %w : tensor<i32>
  }
  func.return %r : tensor<i32>
}

// It is not known, but both branches are cheap.
// CHECK-LABEL: func.func @cheap(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[C:.*]] = ov.add %x, %[[A]]
// CHECK-NEXT: %[[D:.*]] = ov.select %c, %[[B]], %[[C]]
// CHECK-NEXT: func.return %[[D]]
func.func @cheap(%c: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %far = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %r = ov.if %c -> (tensor<i32>) {
    %w = ov.add %one, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.yield %w : tensor<i32>
  } else {
    %w = ov.add %x, %far : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.yield %w : tensor<i32>
  }
  func.return %r : tensor<i32>
}

// The second branch is known, and with it goes the only reader of the first one.
// CHECK-LABEL: func.func @reader_in_a_branch_that_goes(
// CHECK-NEXT: %[[A:.*]] = ov.negative %y
// CHECK-NEXT: func.return %[[A]]
func.func @reader_in_a_branch_that_goes(%c: tensor<i1>, %x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> {
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r = ov.if %c -> (tensor<4xi64>) {
    %w = ov.multiply %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.yield %w : tensor<4xi64>
  } else {
    %w = ov.multiply %y, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.yield %w : tensor<4xi64>
  }
  %s = ov.if %false -> (tensor<4xi64>) {
    %w = ov.negative %r : (tensor<4xi64>) -> tensor<4xi64>
    ov.yield %w : tensor<4xi64>
  } else {
    %w = ov.negative %y : (tensor<4xi64>) -> tensor<4xi64>
    ov.yield %w : tensor<4xi64>
  }
  func.return %s : tensor<4xi64>
}

// Nothing reads it.
// CHECK-LABEL: func.func @unread(
// CHECK-NEXT: func.return %x
func.func @unread(%c: tensor<i1>, %x: tensor<20x40xf32>, %y: tensor<40x40xf32>) -> tensor<20x40xf32> {
  %r = ov.if %c -> (tensor<20x40xf32>) {
    %w = ov.add %x, %x : (tensor<20x40xf32>, tensor<20x40xf32>) -> tensor<20x40xf32>
    ov.yield %w : tensor<20x40xf32>
  } else {
    %w = ov.mat_mul %x, %y {transpose_a = false, transpose_b = false} : (tensor<20x40xf32>, tensor<40x40xf32>) -> tensor<20x40xf32>
    ov.yield %w : tensor<20x40xf32>
  }
  func.return %x : tensor<20x40xf32>
}

// Nothing reads the second result,
// CHECK-LABEL: func.func @second_result_unread(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.sqrt %x
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @second_result_unread(%c: tensor<i1>, %x: tensor<10x10xf32>) -> tensor<10x10xf32> {
  %r, %s = ov.if %c -> (tensor<10x10xf32>, tensor<10x10xf32>) {
    %v = ov.exp %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    %w = ov.tanh %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    ov.yield %v, %w : tensor<10x10xf32>, tensor<10x10xf32>
  } else {
    %v = ov.sqrt %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    ov.yield %v, %x : tensor<10x10xf32>, tensor<10x10xf32>
  }
  func.return %r : tensor<10x10xf32>
}

// or the first one.
// CHECK-LABEL: func.func @first_result_unread(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.tanh %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.yield %x
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @first_result_unread(%c: tensor<i1>, %x: tensor<10x10xf32>) -> tensor<10x10xf32> {
  %r, %s = ov.if %c -> (tensor<10x10xf32>, tensor<10x10xf32>) {
    %v = ov.exp %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    %w = ov.tanh %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    ov.yield %v, %w : tensor<10x10xf32>, tensor<10x10xf32>
  } else {
    %v = ov.sqrt %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    ov.yield %v, %x : tensor<10x10xf32>, tensor<10x10xf32>
  }
  func.return %s : tensor<10x10xf32>
}

// Two results that are one in each branch are one.
// CHECK-LABEL: func.func @duplicate_results(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   ov.yield %x
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[B:.*]] = ov.sqrt %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[C:.*]] = ov.add %[[A]], %[[A]]
// CHECK-NEXT: func.return %[[C]]
func.func @duplicate_results(%c: tensor<i1>, %x: tensor<10x10xf32>) -> tensor<10x10xf32> {
  %r, %s = ov.if %c -> (tensor<10x10xf32>, tensor<10x10xf32>) {
    ov.yield %x, %x : tensor<10x10xf32>, tensor<10x10xf32>
  } else {
    %v = ov.sqrt %x : (tensor<10x10xf32>) -> tensor<10x10xf32>
    ov.yield %v, %v : tensor<10x10xf32>, tensor<10x10xf32>
  }
  %t = ov.add %r, %s : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32>
  func.return %t : tensor<10x10xf32>
}

// Two constants are selected, in a loop over elements too,
// CHECK-LABEL: func.func @constants(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[D:.*]] = ov.loop sliced(%x, %y)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<1xf32>, %[[G:.*]]: tensor<1xf32>):
// CHECK-NEXT:   %[[H:.*]] = ov.less %[[F]], %[[G]]
// CHECK-NEXT:   %[[I:.*]] = ov.squeeze %[[H]], %[[C]]
// CHECK-NEXT:   %[[J:.*]] = ov.select %[[I]], %[[A]], %[[B]]
// CHECK-NEXT:   ov.next concat(%[[J]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]]
func.func @constants(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %one = ov.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<1xf32>, %b: tensor<1xf32>):
    %p = ov.less %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %c = ov.squeeze %p, %axes : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    %s = ov.if %c -> (tensor<1xf32>) {
      ov.yield %zero : tensor<1xf32>
    } else {
      ov.yield %one : tensor<1xf32>
    }
    ov.next concat(%s : tensor<1xf32>)
  }
  func.return %r : tensor<1000xf32>
}

// and where they have more elements than the condition.
// CHECK-LABEL: func.func @constants_of_more_elements(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[D:.*]] = ov.less %a, %b
// CHECK-NEXT: %[[E:.*]] = ov.select %[[D]], %[[A]], %[[B]]
// CHECK-NEXT: %[[F:.*]] = ov.reduce_sum %[[E]], %[[C]]
// CHECK-NEXT: func.return %[[F]]
func.func @constants_of_more_elements(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2xf32> {
  %zero = ov.constant dense<0.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %one = ov.constant dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %c = ov.less %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %s = ov.if %c -> (tensor<2x2xf32>) {
    ov.yield %zero : tensor<2x2xf32>
  } else {
    ov.yield %one : tensor<2x2xf32>
  }
  %t = ov.reduce_sum %s, %axes {keep_dims = false} : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<2xf32>
  func.return %t : tensor<2xf32>
}
