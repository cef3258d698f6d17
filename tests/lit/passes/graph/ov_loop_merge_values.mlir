// RUN: loomir-opt -p ov-loop-merge-values --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p 'ov-loop-merge-values' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// Two pairs that change places in each iteration, through a nested loop and a branch.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r, %s, %t, %u = ov.loop trip(%n) carried(%x, %a, %x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>, %q: tensor<4xf32>, %v: tensor<4xf32>, %w: tensor<4xf32>):
    %k, %l = ov.loop trip(%n) carried(%p, %v) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %y: tensor<4xf32>, %z: tensor<4xf32>):
      %y1 = ov.exp %y : (tensor<4xf32>) -> tensor<4xf32>
      %z1 = ov.exp %z : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%y1, %z1 : tensor<4xf32>, tensor<4xf32>)
    }
    %g, %h = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
      %g1 = ov.abs %q : (tensor<4xf32>) -> tensor<4xf32>
      %h1 = ov.abs %w : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %g1, %h1 : tensor<4xf32>, tensor<4xf32>
    } else {
      ov.yield %q, %w : tensor<4xf32>, tensor<4xf32>
    }
    ov.next carried(%g, %k, %h, %l : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s, %t, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// CHECK:      %r, %s, %t, %u = ov.loop
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %p: tensor<4xf32>, %q: tensor<4xf32>, %v: tensor<4xf32>, %w: tensor<4xf32>):
// CHECK-NEXT:   %k, %l = ov.loop trip(%n) carried(%p, %p)
// CHECK-NEXT:   ^bb0(%j: tensor<i64>, %y: tensor<4xf32>, %z: tensor<4xf32>):
// CHECK-NEXT:     %{{.*}} = ov.exp %y
// CHECK-NEXT:     %{{.*}} = ov.exp %y
// CHECK:        %g, %h = ov.if
// CHECK:        ov.next carried(%g, %k, %g, %k
// CHECK:      func.return %r, %s, %r, %s
// REMARK:     done: ov.loop: merged {{.*}} values with others that are always equal

// -----

// The second one begins as another value; of the third an iteration hands on something else.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %x) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>, %q: tensor<4xf32>, %v: tensor<4xf32>):
    %p1 = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    %q1 = ov.exp %q : (tensor<4xf32>) -> tensor<4xf32>
    %v1 = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%p1, %q1, %v1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// CHECK:      ^bb0
// CHECK-NEXT:   ov.exp %p
// CHECK-NEXT:   ov.exp %q
// CHECK-NEXT:   ov.tanh %v
// CHECK:      func.return %r, %s, %t

// -----

// Two that change places and begin alike stay what they began as.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>, %q: tensor<4xf32>):
    ov.next carried(%q, %p : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
// CHECK:      ov.next carried(%x, %x
// CHECK:      func.return %x, %x

// -----

// Parts of one input that is cut twice in one way are one; what is joined of them, too.
func.func @main(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %r, %s, %t = ov.loop sliced(%x, %x, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>, #ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>, %v: tensor<1x4xf32>):
    %p1 = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %q1 = ov.exp %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %v1 = ov.exp %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%p1, %q1, %v1 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  }
  func.return %r, %s, %t : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
// CHECK:      ^bb0
// CHECK-NEXT:   ov.exp %p
// CHECK-NEXT:   ov.exp %p
// CHECK-NEXT:   ov.exp %v
// CHECK:      func.return %r, %r, %t

// -----

// They go on alike, but begin with others; what is joined in two directions is not equal, and results are only if both arms' are.
// CHECK-LABEL: @nearly_equal
// CHECK:      ov.loop {{.*}} carried(%x, %a)
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT:   %w = ov.multiply %v, %u
// CHECK:      %p, %q = ov.if %c
// CHECK:      ov.loop trip(%n) carried(%h, %k)
// CHECK-NEXT: ^bb0(%j: tensor<i64>, %e: tensor<4xf32>, %f: tensor<4xf32>):
// CHECK-NEXT:   ov.exp %e
// CHECK-NEXT:   ov.exp %f
// CHECK:      func.return %r, %s, %forwards, %backwards, %p, %q, %y, %z
func.func @nearly_equal(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<8xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s, %forwards, %backwards = ov.loop trip(%n) carried(%x, %a) {concats = [#ov.slice<axis = 0, stride = 4, part_size = 4>, #ov.slice<axis = 0, start = -1, end = 0, stride = -4, part_size = 4>]}
      : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %w : tensor<4xf32>, tensor<4xf32>) concat(%w, %w : tensor<4xf32>, tensor<4xf32>)
  }
  %p, %q = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    ov.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  } else {
    ov.yield %x, %a : tensor<4xf32>, tensor<4xf32>
  }
  %h, %k = ov.split %b, %axis {num_splits = 2 : i64} : (tensor<8xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  %y, %z = ov.loop trip(%n) carried(%h, %k) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%j: tensor<i64>, %e: tensor<4xf32>, %f: tensor<4xf32>):
    %e1 = ov.exp %e : (tensor<4xf32>) -> tensor<4xf32>
    %f1 = ov.exp %f : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%e1, %f1 : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s, %forwards, %backwards, %p, %q, %y, %z : tensor<4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
