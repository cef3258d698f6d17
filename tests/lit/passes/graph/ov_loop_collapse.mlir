// RUN: loomir-opt %s -p ov-loop-collapse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-collapse --remarks --split-input-file --verify-diagnostics -o /dev/null

// Three loops, whose values change places, are one. A negative trip count is no limit, and a product beyond 64 bits the greatest number.
// CHECK-LABEL: func.func @three
// CHECK:       %[[M1:.*]] = ov.constant dense<-1>
// CHECK-NEXT:  %[[N:.*]] = ov.maximum %n, %[[M1]]
// CHECK:       %[[P:.*]] = ov.multiply %[[N]], %{{.*}}
// CHECK:       %[[MOST:.*]] = ov.constant dense<9223372036854775807>
// CHECK:       %[[LIMIT:.*]] = ov.constant dense<307445734561825860>
// CHECK:       %[[OVER:.*]] = ov.greater %[[N]], %[[LIMIT]]
// CHECK:       %[[T:.*]] = ov.select %[[OVER]], %[[MOST]], %[[P]]
// CHECK:       %[[TRIPS:.*]] = ov.select
// CHECK-NEXT:  %[[R:.*]], %[[S:.*]] = ov.loop trip(%[[TRIPS]]) carried(%x, %y)
// CHECK-NOT:   ov.loop
// CHECK:         ov.next carried(%p, %q
// CHECK:       func.return %[[R]], %[[S]]
func.func @three(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark@+1 2 {{done: ov.loop: collapsed it with the loop in it}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %thirty = ov.constant dense<30> : tensor<i64> : tensor<i64>
    %a, %b = ov.loop trip(%thirty) carried(%u, %v) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %c: tensor<4xf32>, %d: tensor<4xf32>):
      %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
      // expected-remark@+1 {{left: ov.loop: its body is not a loop alone}}
      %e, %f = ov.loop trip(%two) carried(%d, %c) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      ^bb2(%k: tensor<i64>, %g: tensor<4xf32>, %h: tensor<4xf32>):
        %p = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
        %q = ov.multiply %h, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        ov.next carried(%p, %q : tensor<4xf32>, tensor<4xf32>)
      }
      ov.next carried(%f, %e : tensor<4xf32>, tensor<4xf32>)
    }
    ov.next carried(%b, %a : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Both trip counts are open and not negative: the divisor is not 0. Small ones need no limit.
// CHECK-LABEL: func.func @open
// CHECK:       %[[P:.*]] = ov.multiply %n, %m
// CHECK:       %[[ONE:.*]] = ov.constant dense<1>
// CHECK:       %[[D:.*]] = ov.maximum %m, %[[ONE]]
// CHECK:       ov.divide %{{.*}}, %[[D]]
// CHECK:       ov.loop trip(%{{.*}}) carried(%x)
// CHECK:       %[[Q:.*]] = ov.multiply %k, %l
// CHECK-NEXT:  ov.loop trip(%[[Q]])
func.func @open(%a: tensor<i64>, %b: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %n = ov.maximum %a, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %m = ov.maximum %b, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %k = ov.minimum %n, %most : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %l = ov.minimum %m, %most : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{done}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  // expected-remark@+1 {{done}}
  %t = ov.loop trip(%k) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop trip(%l) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.sin %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// Rows and their elements, backwards and in pairs. With an open number of rows the first reshape checks the size of a row.
// CHECK-LABEL: func.func @elements
// CHECK:       %[[Y:.*]] = ov.reshape %x, %{{.*}} : (tensor<6x8xf32>, tensor<2xi64>) -> tensor<48x1xf32>
// CHECK-NEXT:  ov.loop carried(%a) sliced(%[[Y]]) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>]}
// CHECK:       %[[SHAPE:.*]] = ov.constant dense<[0, 8]>
// CHECK-NEXT:  %[[ROWS:.*]] = ov.reshape %z, %[[SHAPE]] {special_zero = true} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x8xf32>
// CHECK-NEXT:  %[[ALL:.*]] = ov.constant dense<[1, -1]>
// CHECK-NEXT:  %[[W:.*]] = ov.reshape %[[ROWS]], %[[ALL]]
// CHECK:       ov.loop carried(%b) sliced(%[[W]]) {slices = [#ov.slice<axis = 1>]}
// CHECK-NOT:   ov.loop
func.func @elements(%x: tensor<6x8xf32>, %z: tensor<?x?xf32>, %a: tensor<2x1xf32>, %b: tensor<1x1xf32>) -> (tensor<2x1xf32>, tensor<1x1xf32>) {
  %column = ov.constant dense<[8, 1]> : tensor<2xi64> : tensor<2xi64>
  %row = ov.constant dense<[1, 8]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{done}}
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<2x1xf32>, tensor<6x8xf32>) -> tensor<2x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2x1xf32>, %p: tensor<1x8xf32>):
    %c = ov.reshape %p, %column : (tensor<1x8xf32>, tensor<2xi64>) -> tensor<8x1xf32>
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop carried(%v) sliced(%c) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>]} : (tensor<2x1xf32>, tensor<8x1xf32>) -> tensor<2x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<2x1xf32>, %q: tensor<2x1xf32>):
      %t = ov.multiply %u, %q : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
      %w = ov.tanh %t : (tensor<2x1xf32>) -> tensor<2x1xf32>
      ov.next carried(%w : tensor<2x1xf32>)
    }
    ov.next carried(%s : tensor<2x1xf32>)
  }
  // expected-remark@+1 {{done}}
  %o = ov.loop carried(%b) sliced(%z) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<?x?xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x?xf32>):
    %c = ov.reshape %p, %row : (tensor<1x?xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop carried(%v) sliced(%c) {slices = [#ov.slice<axis = 1>]} : (tensor<1x1xf32>, tensor<1x8xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next carried(%s : tensor<1x1xf32>)
  }
  func.return %r, %o : tensor<2x1xf32>, tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func @two_loops
// CHECK-COUNT-14: ov.loop
func.func @two_loops(%n: tensor<i64>, %m: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xi64>, %z: tensor<6x8xf32>, %a: tensor<1x1xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // The outer one may never end, and the inner one may run no iteration.
  // expected-remark@+1 {{left: ov.loop: an endless outer loop may run inner loops of no iteration}}
  %1 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: a condition may end one of the loops}}
  %2 = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop trip(%two) while(%go) carried(%v) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: an iteration number is used}}
  %3 = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop trip(%two) carried(%v) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xi64>):
      %q = ov.multiply %u, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
      ov.next carried(%q : tensor<4xi64>)
    }
    ov.next carried(%s : tensor<4xi64>)
  }
  // Values change places between the loops.
  // expected-remark@+1 {{left: ov.loop: it does not hand all of its carried values on to the inner loop and back}}
  %4, %5 = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %w: tensor<4xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s, %t = ov.loop trip(%two) carried(%v, %w) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>, %o: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      %p = ov.sin %o : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q, %p : tensor<4xf32>, tensor<4xf32>)
    }
    ov.next carried(%t, %s : tensor<4xf32>, tensor<4xf32>)
  }
  // Rows forwards, their elements backwards.
  // expected-remark@+1 {{left: ov.loop: the parts are not contiguous, or of unknown shape}}
  %6 = ov.loop carried(%a) sliced(%z) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<6x8xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x8xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop carried(%v) sliced(%p) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>]} : (tensor<1x1xf32>, tensor<1x8xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.subtract %q, %u : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%t : tensor<1x1xf32>)
    }
    ov.next carried(%s : tensor<1x1xf32>)
  }
  // Columns.
  // expected-remark@+1 {{left: ov.loop: the parts are not contiguous, or of unknown shape}}
  %7 = ov.loop carried(%a) sliced(%z) {slices = [#ov.slice<axis = 1>]} : (tensor<1x1xf32>, tensor<6x8xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<6x1xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop carried(%v) sliced(%p) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<6x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.subtract %q, %u : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%t : tensor<1x1xf32>)
    }
    ov.next carried(%s : tensor<1x1xf32>)
  }
  // Each row meets the same numbers.
  // expected-remark@+1 {{left: ov.loop: the inner loop does not slice the parts of the outer one}}
  %8 = ov.loop carried(%a) sliced(%z) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<6x8xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x8xf32>):
    // expected-remark@+1 {{its body is not a loop alone}}
    %s = ov.loop carried(%v) sliced(%z) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<6x8xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x8xf32>):
      %t = ov.mat_mul %q, %p {transpose_b = true} : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x1xf32>
      %w = ov.subtract %t, %u : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next carried(%s : tensor<1x1xf32>)
  }
  %9 = ov.add %6, %8 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  func.return %1, %2, %3, %4, %5, %9, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
