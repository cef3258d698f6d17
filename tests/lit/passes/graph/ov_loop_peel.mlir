// RUN: loomir-opt -p ov-loop-peel --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p 'ov-loop-peel' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt -p 'ov-loop-peel,ov-fold-constants,canonicalize' --split-input-file %s | filecheck %s --check-prefix=CLEAN
// RUN: loomir-opt --remarks -p 'ov-loop-peel{max-code-growth=2}' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=SMALL

// The first step makes a matrix of a vector: behind it, every iteration sees a matrix.
func.func @main(%x: tensor<2x4xf32>, %go: tensor<i1>) -> (tensor<*xf32>, tensor<?x4xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %none = ov.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %r, %s = ov.loop trip(%n) carried(%none) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xf32>) -> (tensor<*xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %y = ov.add %a, %x : (tensor<*xf32>, tensor<2x4xf32>) -> tensor<*xf32>
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %z = ov.add %y, %f : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
    ov.next while(%go) carried(%z : tensor<*xf32>) concat(%x : tensor<2x4xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<?x4xf32>
}
// CHECK:      %[[FIRST:.*]] = ov.add %{{.*}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
// CHECK:      %[[LEFT:.*]] = ov.constant dense<4> : tensor<i64>
// CHECK:      %r, %[[REST:.*]] = ov.loop trip(%[[LEFT]]) while(%go) carried(%[[FIRST]])
// CHECK-NEXT: ^bb0(%[[J:.*]]: tensor<i64>, %a: tensor<2x4xf32>):
// CHECK-NEXT:   %[[ONE:.*]] = ov.constant dense<1>
// CHECK-NEXT:   %[[I:.*]] = ov.add %[[J]], %[[ONE]]
// CHECK:        ov.convert %[[I]]
// CHECK:        ov.next while(%go) carried(%{{.*}} : tensor<2x4xf32>) concat(%x : tensor<2x4xf32>)
// CHECK:      %s = ov.concat %x, %[[REST]] {axis = 0 : i64}
// REMARK:     done: {{.*}} peeled its first iteration

// -----

// A loop that may not run at all has a result of either rank.
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<*xf32> {
  %none = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%none) : (tensor<i64>, tensor<f32>) -> tensor<*xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %y = ov.add %a, %x : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
    ov.next carried(%y : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}
// CHECK:  ov.constant dense<1.000000e+00>
// CHECK-NEXT: ov.loop trip(%n)
// REMARK: left: {{.*}} it may run no iteration

// -----

// A dynamic dimension of a part: with no iteration left it would be 0 beside the first part's.
func.func @main(%x: tensor<?xf32>, %go: tensor<i1>) -> (tensor<*xf32>, tensor<?x?xf32>) {
  %none = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %part = ov.unsqueeze %x, %zero : (tensor<?xf32>, tensor<1xi64>) -> tensor<1x?xf32>
  %r, %s = ov.loop trip(%n) carried(%none) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<f32>) -> (tensor<*xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %y = ov.add %a, %x : (tensor<*xf32>, tensor<?xf32>) -> tensor<*xf32>
    ov.next while(%go) carried(%y : tensor<*xf32>) concat(%part : tensor<1x?xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<?x?xf32>
}
// CHECK:      ov.unsqueeze
// CHECK-NEXT: ov.loop trip(%n)
// REMARK: left: {{.*}} a concatenated output has a dynamic extent

// -----

// What it carries is one from outside from the first iteration on; the loop may not run, so both stand under a guard.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %b : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CHECK:      %[[RUNS:.*]] = ov.not_equal %n
// CHECK-NEXT: %r, %s = ov.if %[[RUNS]]
// CHECK:        %[[W:.*]] = ov.multiply %x, %a
// CHECK:        %[[LEFT:.*]] = ov.subtract %n
// CHECK-NEXT:   %[[R:.*]], %[[S:.*]] = ov.loop trip(%[[LEFT]]) carried(%[[W]], %b)
// CHECK:      } else {
// CHECK-NEXT:   ov.yield %x, %a
// REMARK:     done: {{.*}} peeled its first iteration

// -----

// A branch on the first iteration.
func.func @first(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %first = ov.equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CLEAN-LABEL: @first
// CLEAN:       ov.if
// CLEAN-NEXT:    %[[FIRST:.*]] = ov.exp %x
// CLEAN:         %[[LEFT:.*]] = ov.subtract %n
// CLEAN-NEXT:    ov.loop trip(%[[LEFT]]) carried(%[[FIRST]])
// CLEAN-NOT:     ov.if
// CLEAN:           ov.multiply
// REMARK:      done: {{.*}} peeled its first iteration, with 1 branches decided

// -----

// A branch on the last iteration, wherever the trip count is: the last one stands behind a loop of one less.
func.func @last(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %last = ov.equal %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %last -> (tensor<1x4xf32>) {
      %p = ov.exp %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield %p : tensor<1x4xf32>
    } else {
      %p = ov.multiply %v, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield %p : tensor<1x4xf32>
    }
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %r, %s : tensor<1x4xf32>, tensor<?x4xf32>
}
// CLEAN-LABEL: @last
// CLEAN:       ov.if
// CLEAN:         %[[LEFT:.*]] = ov.subtract %n
// CLEAN:         %[[R:.*]], %[[S:.*]] = ov.loop trip(%[[LEFT]]) carried(%x)
// CLEAN-NOT:     ov.if
// CLEAN:           ov.multiply
// CLEAN:         %[[LAST:.*]] = ov.exp %[[R]]
// CLEAN:         ov.concat %[[S]], %[[LAST]] {axis = 0 : i64}
// REMARK:      done: {{.*}} peeled its last iteration, with 1 branches decided

// -----

// Every third iteration differs: nothing is decided.
func.func @third(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %rest = ov.floor_mod %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %third = ov.equal %rest, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %third -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CLEAN-LABEL: @third
// CLEAN:       ov.loop trip(%n)
// CLEAN:         ov.if

// -----

// Beside the branch there is more than another iteration of it may add.
func.func @much(%n: tensor<i64>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4x4xf32>):
    %first = ov.equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<4x4xf32>) {
      %p = ov.exp %v : (tensor<4x4xf32>) -> tensor<4x4xf32>
      ov.yield %p : tensor<4x4xf32>
    } else {
      ov.yield %v : tensor<4x4xf32>
    }
    %y = ov.mat_mul %w, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.next carried(%y : tensor<4x4xf32>)
  }
  func.return %r : tensor<4x4xf32>
}
// SMALL: left: {{.*}} code growth of 3 is more than 2
