// RUN: loomir-opt %s -p ov-loop-rotate --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-rotate --split-input-file --remarks --verify-diagnostics -o /dev/null
// RUN: loomir-opt %s -p 'ov-loop-rotate{max-code-growth=0}' --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=LIMIT

// The test reads the iteration number. It may fail, but it runs as often as before, in the same order.
// CHECK-LABEL: func.func @test
// CHECK:       %[[M0:.*]] = ov.gather %table, %[[ZERO:.*]], %axis
// CHECK-NEXT:  %[[GO:.*]] = ov.less %x, %[[M0]]
// CHECK-NEXT:  %r = ov.loop while(%[[GO]]) carried(%x)
// CHECK-NEXT:  ^bb0(%[[I:.*]]: tensor<i64>, %[[V:.*]]: tensor<f32>):
// CHECK-NEXT:    %[[Q:.*]] = ov.exp %[[V]]
// CHECK:         %[[ONE:.*]] = ov.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %[[J:.*]] = ov.add %[[I]], %[[ONE]]
// CHECK-NEXT:    %[[M:.*]] = ov.gather %table, %[[J]], %axis
// CHECK-NEXT:    %[[AGAIN:.*]] = ov.less %[[Q]], %[[M]]
// CHECK-NEXT:    ov.next while(%[[AGAIN]]) carried(%[[Q]]
// LIMIT:       left: ov.loop: code growth of 3 is more than 0
func.func @test(%x: tensor<f32>, %table: tensor<4xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-rotate: done: ov.loop: its condition is tested behind each trip}}
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %most = ov.gather %table, %i, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %go = ov.less %v, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %go -> (tensor<f32>) {
      %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      ov.yield %v : tensor<f32>
    }
    ov.next while(%go) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// In a loop, on the negation: the body reads the sum of the test, which is carried, and a number that no one reads behind the loop.
// CHECK-LABEL: func.func @carried
// CHECK:       ov.loop trip(%n)
// CHECK:         %[[S0:.*]] = ov.reduce_max %[[X:.*]], %axes
// CHECK-NEXT:    %{{.*}} = ov.greater %[[S0]], %most
// CHECK-NEXT:    %[[GO:.*]] = ov.logical_not
// CHECK-NEXT:    ov.loop while(%[[GO]]) carried(%[[X]], %n, %[[S0]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<4xf32>, %{{.*}}: tensor<i64>, %[[S:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[Q:.*]] = ov.multiply %[[V]], %[[S]]
// CHECK:           %[[S1:.*]] = ov.reduce_max %[[Q]], %axes
// CHECK:           ov.next while(%{{.*}}) carried(%[[Q]], %{{.*}}, %[[S1]]
func.func @carried(%n: tensor<i64>, %x: tensor<4xf32>, %most: tensor<f32>) -> tensor<4xf32> {
  %axes = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-rotate: left: ov.loop: its condition does not guard its body}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    // expected-remark@+1 {{ov-loop-rotate: done: ov.loop: its condition is tested behind each trip}}
    %s, %c = ov.loop carried(%v, %n) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
    ^bb0(%j: tensor<i64>, %u: tensor<4xf32>, %count: tensor<i64>):
      %sum = ov.reduce_max %u, %axes : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
      %high = ov.greater %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %go = ov.logical_not %high : (tensor<i1>) -> tensor<i1>
      %w = ov.if %high -> (tensor<4xf32>) {
        ov.yield %u : tensor<4xf32>
      } else {
        %q = ov.multiply %u, %sum : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        ov.yield %q : tensor<4xf32>
      }
      %more = ov.add %count, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
      ov.next while(%go) carried(%w, %more : tensor<4xf32>, tensor<i64>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A branch of the test asks for a part of it: it stays.
// CHECK-LABEL: func.func @part
// CHECK:       ov.if
// CHECK:       ov.loop while
// CHECK:         ov.sin
// CHECK:         ov.if
// CHECK-NOT:     ov.if
func.func @part(%x: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{ov-loop-rotate: done: ov.loop: its condition is tested behind each trip}}
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %low = ov.less %v, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %t = ov.if %low -> (tensor<f32>) {
      %e = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %e : tensor<f32>
    } else {
      ov.yield %v : tensor<f32>
    }
    %other = ov.greater %t, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %go = ov.logical_and %low, %other : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %go -> (tensor<f32>) {
      %q = ov.sin %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      ov.yield %v : tensor<f32>
    }
    ov.next while(%go) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Where the trip count ends the loop, there would be a test more.
// CHECK-LABEL: func.func @trips
// CHECK:       ov.loop trip(%n) carried(%x)
func.func @trips(%n: tensor<i64>, %x: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{ov-loop-rotate: left: ov.loop: its condition does not guard its body, or something else may end it}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %go = ov.less %v, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %go -> (tensor<f32>) {
      %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      ov.yield %v : tensor<f32>
    }
    ov.next while(%go) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// The last trip changes the state.
// CHECK-LABEL: func.func @changes
// CHECK:       ov.loop carried(%x)
func.func @changes(%x: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{ov-loop-rotate: left: ov.loop: its condition does not guard its body}}
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %go = ov.less %v, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %go -> (tensor<f32>) {
      %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      %q = ov.sin %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    ov.next while(%go) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// The gather is in no branch: it may stop the program in the last trip.
// CHECK-LABEL: func.func @may_fail
// CHECK:       ov.loop carried(%x)
func.func @may_fail(%x: tensor<f32>, %most: tensor<f32>, %table: tensor<4xf32>) -> tensor<f32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-rotate: left: ov.loop: an operation that the condition does not guard may fail}}
  %r = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %part = ov.gather %table, %i, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %go = ov.less %v, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %go -> (tensor<f32>) {
      %q = ov.add %v, %part : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    } else {
      ov.yield %v : tensor<f32>
    }
    ov.next while(%go) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}
