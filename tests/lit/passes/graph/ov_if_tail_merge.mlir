// RUN: loomir-opt %s -p ov-if-tail-merge --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-if-tail-merge --split-input-file --remarks --verify-diagnostics -o /dev/null

// The second arm computes its initial value, the first one goes on with the result. Both stay in their arms.
// CHECK-LABEL: func.func @between
// CHECK:       %[[C:.*]], %[[D:.*]] = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    ov.yield %x, %a
// CHECK-NEXT:  } else {
// CHECK-NEXT:    %[[T:.*]] = ov.abs %x
// CHECK-NEXT:    ov.yield %[[T]], %b
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[S:.*]] = ov.loop trip(%n) carried(%[[C]])
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:    ov.multiply %[[V]], %[[D]]
// CHECK-NEXT:    ov.next
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[R:.*]] = ov.if %c -> (tensor<4xf32>) {
// CHECK-NEXT:    %[[E:.*]] = ov.exp %[[S]]
// CHECK-NEXT:    ov.yield %[[E]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %[[S]]
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %[[R]]
func.func @between(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    // expected-remark@+1 {{ov-if-tail-merge: done: ov.loop: one loop behind the branch in place of one in each arm}}
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.multiply %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %e : tensor<4xf32>
  } else {
    %t = ov.abs %x : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.loop trip(%n) carried(%t) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// Loops in loops, with slices, a condition and joined parts: only the trip count of the inner loop and the sliced value differ.
// What is read behind a loop alone (%e) moves there. No branch stays behind the loop for results that are the loop's.
// CHECK-LABEL: func.func @nest
// CHECK:       %[[C:.*]], %[[D:.*]] = ov.if %c
// CHECK-NEXT:    ov.yield %x, %n
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %y, %m
// CHECK:       %[[S:.*]], %[[A:.*]] = ov.loop while(%g) carried(%z) sliced(%[[C]])
// CHECK:         ov.loop trip(%[[D]])
// CHECK-NOT:   ov.loop
// CHECK:       %[[R:.*]] = ov.if %c
// CHECK-NEXT:    %[[E:.*]] = ov.exp %z
// CHECK-NEXT:    %[[Q:.*]] = ov.add %[[S]], %[[E]]
// CHECK-NEXT:    ov.yield %[[Q]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %[[S]]
// CHECK:       func.return %[[R]], %[[A]]
func.func @nest(%n: tensor<i64>, %m: tensor<i64>, %c: tensor<i1>, %g: tensor<i1>, %x: tensor<5x4xf32>, %y: tensor<5x4xf32>, %z: tensor<1x4xf32>, %most: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %r, %all = ov.if %c -> (tensor<1x4xf32>, tensor<?x4xf32>) {
    %e = ov.exp %z : (tensor<1x4xf32>) -> tensor<1x4xf32>
    // expected-remark@+1 {{ov-if-tail-merge: done: ov.loop: one loop behind}}
    %s, %a = ov.loop while(%g) carried(%z) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %part: tensor<1x4xf32>):
      %w = ov.loop trip(%n) carried(%v) : (tensor<i64>, tensor<1x4xf32>) -> tensor<1x4xf32> {
      ^bb0(%j: tensor<i64>, %u: tensor<1x4xf32>):
        %p = ov.multiply %u, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        ov.next carried(%p : tensor<1x4xf32>)
      }
      ov.next while(%g) carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
    }
    %q = ov.add %s, %e : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield %q, %a : tensor<1x4xf32>, tensor<?x4xf32>
  } else {
    %s, %a = ov.loop while(%g) carried(%z) sliced(%y) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %part: tensor<1x4xf32>):
      %w = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<1x4xf32>) -> tensor<1x4xf32> {
      ^bb0(%j: tensor<i64>, %u: tensor<1x4xf32>):
        %p = ov.multiply %u, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        ov.next carried(%p : tensor<1x4xf32>)
      }
      ov.next while(%g) carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
    }
    ov.yield %s, %a : tensor<1x4xf32>, tensor<?x4xf32>
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// Two loops in each arm: the second ones are in the branch behind the first one.
// CHECK-LABEL: func.func @two
// CHECK:       ov.if
// CHECK-NEXT:    ov.yield %x
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %y
// CHECK:       %[[S:.*]] = ov.loop trip(%n)
// CHECK:       %[[C:.*]] = ov.if
// CHECK-NEXT:    %[[E:.*]] = ov.exp %[[S]]
// CHECK-NEXT:    ov.yield %[[E]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %[[S]]
// CHECK:       %[[T:.*]] = ov.loop trip(%n) carried(%[[C]])
// CHECK-NOT:   ov.if
// CHECK:       func.return %[[T]]
func.func @two(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    // expected-remark@+1 {{ov-if-tail-merge: done: ov.loop: one loop behind}}
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %e = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    // expected-remark@+1 {{ov-if-tail-merge: done: ov.loop: one loop behind}}
    %t = ov.loop trip(%n) carried(%e) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %t : tensor<4xf32>
  } else {
    %s = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %t = ov.loop trip(%n) carried(%s) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %t : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// The gather may fail, before the loop in its arm: it cannot move behind it, where it is read.
// CHECK-LABEL: func.func @read_behind
// CHECK-COUNT-2: ov.loop
func.func @read_behind(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %k: tensor<4xi64>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-if-tail-merge: left: ov.if: what precedes a loop in its arm is read behind it, too}}
  %r = ov.if %c -> (tensor<4xf32>) {
    %g = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    %q = ov.add %s, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  } else {
    %s = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// A trip count that is known in an arm would be unknown behind the branch.
// CHECK-LABEL: func.func @known
// CHECK-COUNT-2: ov.loop
func.func @known(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-if-tail-merge: left: ov.if: a value that the loops read is known in one arm}}
  %r = ov.if %c -> (tensor<4xf32>) {
    %s = ov.loop trip(%five) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  } else {
    %s = ov.loop trip(%seven) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// The chosen matrix would be copied: 65,536 bytes.
// CHECK-LABEL: func.func @large
// CHECK-COUNT-2: ov.loop
func.func @large(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<128x128xf32>, %a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // expected-remark@+1 {{ov-if-tail-merge: left: ov.if: the chosen values may take more than 16384 bytes}}
  %r = ov.if %c -> (tensor<128x128xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<128x128xf32>) -> tensor<128x128xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<128x128xf32>):
      %p = ov.mat_mul %v, %a : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
      ov.next carried(%p : tensor<128x128xf32>)
    }
    ov.yield %s : tensor<128x128xf32>
  } else {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<128x128xf32>) -> tensor<128x128xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<128x128xf32>):
      %p = ov.mat_mul %v, %b : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
      ov.next carried(%p : tensor<128x128xf32>)
    }
    ov.yield %s : tensor<128x128xf32>
  }
  func.return %r : tensor<128x128xf32>
}

// -----

// Operands in another order are another loop.
// CHECK-LABEL: func.func @order
// CHECK-COUNT-2: ov.loop
func.func @order(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@+1 {{ov-if-tail-merge: left: ov.if: no loop of one arm is equal to one of the other}}
  %r = ov.if %c -> (tensor<4xf32>) {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.subtract %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  } else {
    %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.subtract %a, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p : tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// Both results are of the loops, but another one in each arm.
// CHECK-LABEL: func.func @swapped
// CHECK:       %[[S:.*]], %[[T:.*]] = ov.loop trip(%n) carried(%x, %a)
// CHECK:       %[[R:.*]] = ov.if %c
// CHECK-NEXT:    ov.yield %[[S]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %[[T]]
// CHECK:       func.return %[[R]]
func.func @swapped(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    // expected-remark@+1 {{ov-if-tail-merge: done: ov.loop: one loop behind}}
    %s, %t = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
      %p = ov.subtract %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p, %v : tensor<4xf32>, tensor<4xf32>)
    }
    ov.yield %s : tensor<4xf32>
  } else {
    %s, %t = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
      %p = ov.subtract %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%p, %v : tensor<4xf32>, tensor<4xf32>)
    }
    ov.yield %t : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
