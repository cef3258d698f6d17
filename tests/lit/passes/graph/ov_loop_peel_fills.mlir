// RUN: loomir-opt %s -p 'ov-infer,ov-loop-peel' --remarks --split-input-file --verify-diagnostics | filecheck %s

// Both carried tensors begin as a repeated number: two additions take the place of two fills.
// CHECK-LABEL: func.func @two(
// CHECK:       %[[V:.*]] = ov.add %zeros, %x
// CHECK-NEXT:  %[[W:.*]] = ov.subtract %[[V]], %ones
// CHECK:       ov.loop trip(%{{.*}}) carried(%[[V]], %[[W]])
func.func @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = ov.constant dense<40> : tensor<i64> : tensor<i64>
  %zeros = ov.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %ones = ov.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  // expected-remark@+1 {{ov-loop-peel: done: ov.loop: peeled its first iteration}}
  %r, %s = ov.loop trip(%n) carried(%zeros, %ones) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %w: tensor<4xf32>):
    %v1 = ov.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w1 = ov.subtract %v1, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%v1, %w1 : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two additions are more than one fill.
// CHECK-LABEL: func.func @much(
// CHECK:       ov.loop trip(%n) carried(%zeros)
func.func @much(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<40> : tensor<i64> : tensor<i64>
  %zeros = ov.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  // expected-remark@+1 {{ov-loop-peel: left: ov.loop: its first and its last iteration decide nothing for the others}}
  %r = ov.loop trip(%n) carried(%zeros) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %v1 = ov.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %v2 = ov.exp %v1 : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%v2 : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The zeros are the result if there is no iteration.
// CHECK-LABEL: func.func @may_not_run(
// CHECK:       ov.loop trip(%n) carried(%zeros)
func.func @may_not_run(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  // expected-remark@+1 {{ov-loop-peel: left: ov.loop: it may run no iteration}}
  %r = ov.loop trip(%n) carried(%zeros) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %v1 = ov.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%v1 : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// What the body reads is no repeated number; a number is not filled.
// CHECK-LABEL: func.func @no_fill(
// CHECK:       ov.loop trip(%n) carried(%table, %zero)
func.func @no_fill(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %n = ov.constant dense<40> : tensor<i64> : tensor<i64>
  %table = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  // expected-remark@+1 {{ov-loop-peel: left: ov.loop: its first and its last iteration decide nothing for the others}}
  %r, %s = ov.loop trip(%n) carried(%table, %zero) : (tensor<i64>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>, %w: tensor<f32>):
    %v1 = ov.add %v, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %w1 = ov.add %w, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%v1, %w1 : tensor<2xf32>, tensor<f32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<f32>
}

// -----

// The zeros are read in another place than the one that is written.
// CHECK-LABEL: func.func @another_place(
// CHECK:       ov.loop trip(%n) carried(%zeros)
func.func @another_place(%x: tensor<2xf32>) -> tensor<2xf32> {
  %n = ov.constant dense<40> : tensor<i64> : tensor<i64>
  %zeros = ov.constant dense<0.0> : tensor<2xf32> : tensor<2xf32>
  %places = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-peel: left: ov.loop: its first and its last iteration decide nothing for the others}}
  %r = ov.loop trip(%n) carried(%zeros) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %p = ov.gather %v, %places, %axis : (tensor<2xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
    ov.next carried(%p : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}
