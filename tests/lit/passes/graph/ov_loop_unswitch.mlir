// RUN: loomir-opt %s -p ov-loop-unswitch --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-unswitch --split-input-file --remarks --verify-diagnostics -o /dev/null
// RUN: loomir-opt %s -p 'ov-loop-unswitch{max-code-growth=3}' --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=LIMIT

// The comparison is computed before the loop, which may run no iteration.
// CHECK-LABEL: func.func @comparison
// CHECK:       %c = ov.less %k, %three
// CHECK-NEXT:  %r = ov.if %c -> (tensor<4xf32>) {
// CHECK-NEXT:    %{{.*}} = ov.loop trip(%n) carried(%x)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[P:.*]] = ov.tanh %[[V]]
// CHECK-NEXT:      %[[Q:.*]] = ov.negative %[[P]]
// CHECK-NEXT:      ov.next carried(%[[Q]]
// CHECK:       } else {
// CHECK-NEXT:    %{{.*}} = ov.loop trip(%n) carried(%x)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[P:.*]] = ov.multiply %[[V]], %a
// CHECK-NEXT:      %[[Q:.*]] = ov.negative %[[P]]
// CHECK-NEXT:      ov.next carried(%[[Q]]
// LIMIT:       left: ov.loop: code growth of 4 is more than 3
func.func @comparison(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@+1 {{ov-loop-unswitch: done: ov.loop: unswitched, with 1 branches decided}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
    %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    %q = ov.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// Part of a disjunction: where it holds, nothing asks for the other part. The other branch is on its negation.
// CHECK-LABEL: func.func @part
// CHECK:       ov.if %c -> (tensor<f32>) {
// CHECK:         ov.loop trip(%n) while(%g) carried(%x)
// CHECK-NOT:     ov.greater
// CHECK:           ov.tanh
// CHECK-NEXT:      %[[Q:.*]] = ov.negative
// CHECK:           ov.next while(%{{.*}}) carried(%[[Q]]
// CHECK:       } else {
// CHECK:         ov.loop trip(%n) while(%g) carried(%x)
// CHECK:           %[[HIGH:.*]] = ov.greater
// CHECK-NEXT:      ov.if %[[HIGH]]
// CHECK:             ov.tanh
// CHECK:             ov.abs
// CHECK:           %[[Q:.*]] = ov.exp
// CHECK:           ov.next while(%{{.*}}) carried(%[[Q]]
// LIMIT:       left: ov.loop: code growth of 7 is more than 3
func.func @part(%n: tensor<i64>, %c: tensor<i1>, %g: tensor<i1>, %x: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{ov-loop-unswitch: done: ov.loop: unswitched, with 2 branches decided}}
  %r = ov.loop trip(%n) while(%g) carried(%x) : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %high = ov.greater %v, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %any = ov.logical_or %high, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %any -> (tensor<f32>) {
      %p = ov.tanh %v : (tensor<f32>) -> tensor<f32>
      ov.yield %p : tensor<f32>
    } else {
      %p = ov.abs %v : (tensor<f32>) -> tensor<f32>
      ov.yield %p : tensor<f32>
    }
    %not = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
    %q = ov.if %not -> (tensor<f32>) {
      %p = ov.exp %w : (tensor<f32>) -> tensor<f32>
      ov.yield %p : tensor<f32>
    } else {
      %p = ov.negative %w : (tensor<f32>) -> tensor<f32>
      ov.yield %p : tensor<f32>
    }
    %again = ov.less %q, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%q : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// The inner loops' branch is one of the outer loop; slices, last values, and parts joined backwards stay what they are.
// CHECK-LABEL: func.func @nest
// CHECK-NEXT:  %r, %last, %all = ov.if %c -> (tensor<f32>, tensor<f32>, tensor<8xf32>) {
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %{{.*}} = ov.loop carried(%a) sliced(%x) {{.*}}concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]
// CHECK:           ov.loop trip(%n)
// CHECK:             ov.tanh
// CHECK-NOT:     ov.abs
// CHECK:       } else {
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %{{.*}} = ov.loop carried(%a) sliced(%x)
// CHECK:           ov.loop trip(%n)
// CHECK:             ov.abs
// CHECK-NOT:   ov.tanh
// CHECK:       func.return
func.func @nest(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<8xf32>, %a: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<8xf32>) {
  // expected-remark@+1 {{ov-loop-unswitch: done: ov.loop: unswitched, with 1 branches decided}}
  %r, %last, %all = ov.loop carried(%a) sliced(%x) {concats = [#ov.slice<start = -1, end = 0, stride = -1, axis = 0>], slices = [#ov.slice<axis = 0>]} : (tensor<f32>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>, tensor<8xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %p: tensor<1xf32>):
    // expected-remark@+1 {{ov-loop-unswitch: done: ov.loop: unswitched, with 1 branches decided}}
    %s = ov.loop trip(%n) carried(%v) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
    ^bb0(%j: tensor<i64>, %u: tensor<f32>):
      %w = ov.if %c -> (tensor<f32>) {
        %t = ov.tanh %u : (tensor<f32>) -> tensor<f32>
        ov.yield %t : tensor<f32>
      } else {
        %t = ov.abs %u : (tensor<f32>) -> tensor<f32>
        ov.yield %t : tensor<f32>
      }
      ov.next carried(%w : tensor<f32>)
    }
    %sum = ov.add %p, %s : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
    ov.next carried(%s : tensor<f32>) last(%v : tensor<f32>) concat(%sum : tensor<1xf32>)
  }
  func.return %r, %last, %all : tensor<f32>, tensor<f32>, tensor<8xf32>
}

// -----

// Near misses: the condition may fail where the loop does not run; it is one of the state; the branch is invariant as a whole.
// CHECK-LABEL: func.func @stay
// CHECK-NOT:   ov.if
// CHECK:       ov.loop
// CHECK:         ov.gather
// CHECK:         ov.if
// CHECK:       ov.loop
// CHECK:         ov.reduce_max
// CHECK:         ov.if
// CHECK:       ov.loop
// CHECK:         ov.if %c
func.func @stay(%n: tensor<i64>, %k: tensor<i64>, %c: tensor<i1>, %y: tensor<8xi1>, %x: tensor<4xf32>, %a: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-unswitch: left: ov.loop: no branch in it has a condition from outside}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %at = ov.gather %y, %k, %zero {out_of_range = "error"} : (tensor<8xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %at -> (tensor<4xf32>) {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  }
  // expected-remark@+1 {{ov-loop-unswitch: left: ov.loop: no branch in it has a condition from outside}}
  %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %most = ov.reduce_max %v, %zero : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
    %low = ov.less %most, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %low -> (tensor<4xf32>) {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  }
  // expected-remark@+1 {{ov-loop-unswitch: left: ov.loop: no branch in it has a condition from outside}}
  %t = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.if %c -> (tensor<f32>) {
      %p = ov.tanh %a : (tensor<f32>) -> tensor<f32>
      ov.yield %p : tensor<f32>
    } else {
      ov.yield %a : tensor<f32>
    }
    %w = ov.multiply %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
