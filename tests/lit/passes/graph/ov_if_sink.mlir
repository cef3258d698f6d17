// RUN: loomir-opt %s -p ov-if-sink | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-if-sink' -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// A chain moves into the branch that needs it, and on into the one inside.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: ov.if %c
// CHECK-NEXT:   ov.if %d
// CHECK-NEXT:     %[[E:.*]] = ov.exp %x
// CHECK-NEXT:     %[[T:.*]] = ov.tanh %[[E]]
// CHECK-NEXT:     ov.yield %[[T]]
// REMARK-DAG: ov-if-sink: done: ov.if: ov.tanh moved into the only branch that needs it
func.func @chain(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %e = ov.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  %t = ov.tanh %e : (tensor<?xf32>) -> tensor<?xf32>
  %r = ov.if %c -> (tensor<?xf32>) {
    %s = ov.if %d -> (tensor<?xf32>) {
      ov.yield %t : tensor<?xf32>
    } else {
      ov.yield %x : tensor<?xf32>
    }
    ov.yield %s : tensor<?xf32>
  } else {
    ov.yield %x : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// What is used in both branches, or behind them, or is the condition, stays.
// CHECK-LABEL: func.func @needed_elsewhere
// CHECK-NEXT: ov.exp
// CHECK-NEXT: ov.tanh
// CHECK-NEXT: ov.less
// CHECK-NEXT: ov.if
func.func @needed_elsewhere(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = ov.exp %x : (tensor<f32>) -> tensor<f32>
  %t = ov.tanh %x : (tensor<f32>) -> tensor<f32>
  %c = ov.less %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = ov.if %c -> (tensor<f32>) {
    %s = ov.add %e, %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  } else {
    ov.yield %e : tensor<f32>
  }
  func.return %r, %t : tensor<f32>, tensor<f32>
}

// What may fail goes on stopping runs of the other branch.
// CHECK-LABEL: func.func @may_fail
// CHECK:      ov.gather
// CHECK-NEXT: ov.if
// REMARK-DAG: ov-if-sink: left: ov.if: only one branch needs ov.gather, but it may fail
func.func @may_fail(%c: tensor<i1>, %k: tensor<1xi64>, %x: tensor<1xf32>) -> tensor<1xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<1xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
  %r = ov.if %c -> (tensor<1xf32>) {
    %e = ov.exp %p : (tensor<1xf32>) -> tensor<1xf32>
    ov.yield %e : tensor<1xf32>
  } else {
    ov.yield %x : tensor<1xf32>
  }
  func.return %r : tensor<1xf32>
}

// Into the branch, but not into the loop in it; into no branch in a loop.
// CHECK-LABEL: func.func @loops
// CHECK-NEXT: ov.tanh
// CHECK-NEXT: ov.if %c
// CHECK-NEXT:   ov.exp
// CHECK-NEXT:   ov.loop
// CHECK:      ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   ov.if %c
func.func @loops(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.add %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.yield %l : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.if %c -> (tensor<4xf32>) {
      %u = ov.add %v, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield %u : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
