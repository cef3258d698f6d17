// RUN: loomir-opt %s -p ov-loop-shift-slices,canonicalize,cse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p 'ov-loop-shift-slices{max-bytes=400}' --remarks --split-input-file --verify-diagnostics -o /dev/null

// The slice of the iteration before: the initial value, and all slices but the last one, which is the final value.
// CHECK-LABEL: func.func @before
// CHECK:       %[[MOST:.*]] = ov.slice %x, {{.*}} -> tensor<4x4xf32>
// CHECK-NEXT:  %[[SHIFTED:.*]] = ov.concat %a, %[[MOST]] {axis = 0 : i64}
// CHECK:       %[[MINUS:.*]] = ov.constant dense<-1>
// CHECK:       %[[LAST:.*]] = ov.slice %x, %[[MINUS]], {{.*}} -> tensor<1x4xf32>
// CHECK-NEXT:  %all = ov.loop sliced(%x, %[[SHIFTED]]) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]
// CHECK-NEXT:  ^{{.*}}(%i: tensor<i64>, %p: tensor<1x4xf32>, %v: tensor<1x4xf32>):
// CHECK-NEXT:    %d = ov.subtract %p, %v
// CHECK-NEXT:    ov.next concat(%d : tensor<1x4xf32>)
// CHECK:       func.return %[[LAST]], %all
func.func @before(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<5x4xf32>) {
  // expected-remark@+1 {{ov-loop-shift-slices: done: ov.loop: 1 carried values are slices of tensors, shifted}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<5x4xf32>
}

// -----

// Backwards, on another axis, some of the elements; joined forwards.
// CHECK-LABEL: func.func @backwards
// CHECK:       %[[X:.*]] = ov.slice %x, {{.*}} -> tensor<4x3xf32>
// CHECK:       %[[MOST:.*]] = ov.slice %[[X]], {{.*}} -> tensor<4x2xf32>
// CHECK:       %[[SHIFTED:.*]] = ov.concat %[[MOST]], %a {axis = 1 : i64}
// CHECK:       %[[LAST:.*]] = ov.slice %[[X]], {{.*}} -> tensor<4x1xf32>
// CHECK:       ov.loop sliced(%x, %[[SHIFTED]]) {slices = [#ov.slice<axis = -1, start = 5, end = 2, stride = -1>, #ov.slice<axis = 1, start = -1, end = 0, stride = -1>]
// CHECK:       func.return %[[LAST]], %all
func.func @backwards(%x: tensor<4x6xf32>, %a: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x3xf32>) {
  // expected-remark@+1 {{1 carried values are slices}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = -1, start = 5, end = 2, stride = -1>], concats = [#ov.slice<axis = 1>]} : (tensor<4x1xf32>, tensor<4x6xf32>) -> (tensor<4x1xf32>, tensor<4x3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4x1xf32>, %p: tensor<4x1xf32>):
    %d = ov.subtract %p, %v : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    ov.next carried(%p : tensor<4x1xf32>) concat(%d : tensor<4x1xf32>)
  }
  func.return %r, %all : tensor<4x1xf32>, tensor<4x3xf32>
}

// -----

// Of as many iterations as there are slices, perhaps none: the final value is then the initial one.
// CHECK-LABEL: func.func @open
// CHECK:       %[[BOTH:.*]] = ov.concat %a, %x {axis = 0 : i64}
// CHECK:       %[[SHIFTED:.*]] = ov.slice %[[BOTH]], %{{.*}} -> tensor<?x4xf32>
// CHECK:       %[[LAST:.*]] = ov.slice %[[BOTH]]
// CHECK:       ov.loop sliced(%x, %[[SHIFTED]]) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]
// CHECK:       func.return %r, %all
// CHECK-LABEL: func.func @open_backwards
// CHECK:       %[[BOTH:.*]] = ov.concat %x, %a {axis = 0 : i64}
// CHECK:       ov.loop sliced(%x, %{{.*}}) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>, #ov.slice<axis = 0, start = -1, end = 0, stride = -1>]
func.func @open(%x: tensor<?x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  // expected-remark@+1 {{1 carried values are slices}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}
func.func @open_backwards(%x: tensor<?x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  // expected-remark@+1 {{1 carried values are slices}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// Values that are handed on, and of another rank; the iteration number of two iterations before.
// CHECK-LABEL: func.func @handed_on
// CHECK-NOT:   carried
// CHECK:       ov.loop sliced(
// CHECK-NOT:   carried
func.func @handed_on(%x: tensor<5x2xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>, %k: tensor<i64>, %l: tensor<i64>) -> (tensor<5x2xf32>, tensor<2xf32>, tensor<i64>) {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{4 carried values are slices}}
  %r, %q, %m, %n, %all = ov.loop carried(%a, %b, %k, %l) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>, tensor<5x2xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<2xf32>, %v: tensor<2xf32>, %j: tensor<i64>, %h: tensor<i64>, %p: tensor<1x2xf32>):
    %s = ov.squeeze %p, %axis : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    %f = ov.convert %h {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %d = ov.subtract %p, %u : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    %e = ov.multiply %d, %f : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
    %t = ov.tanh %s : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%v, %t, %i, %j : tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>) concat(%e : tensor<1x2xf32>)
  }
  func.return %all, %r, %n : tensor<5x2xf32>, tensor<2xf32>, tensor<i64>
}

// -----

// Beside a recurrence a function of slices is shifted if it is more than a move or a sum.
// CHECK-LABEL: func.func @function
// CHECK:       %e = ov.exp %x
// CHECK:       %[[SHIFTED:.*]] = ov.concat %a, %{{.*}} {axis = 0 : i64}
// CHECK:       ov.loop carried(%b) sliced(%[[SHIFTED]])
// CHECK-NOT:   ov.exp
// CHECK-LABEL: func.func @sum
// CHECK:       ov.loop carried(%a, %b)
// CHECK-LABEL: func.func @needed_now
// CHECK:       ov.loop carried(%a, %b)
func.func @function(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark@+1 {{1 carried values are slices}}
  %r, %s = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %f = ov.add %e, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %v, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%f, %d : tensor<1x4xf32>, tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}
func.func @sum(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark@+1 {{left: ov.loop: slices in place of carried values would save no operation}}
  %r, %s = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %f = ov.add %a, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %v, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%f, %d : tensor<1x4xf32>, tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}
func.func @needed_now(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark@+1 {{left: ov.loop: slices in place of carried values would save no operation}}
  %r, %s = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = ov.add %v, %e : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.multiply %c, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e, %d : tensor<1x4xf32>, tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// -----

// A recurrence, other shapes at first, a last value, and a condition that may end the loop.
// CHECK-LABEL: func.func @recurrence
// CHECK:       ov.loop carried(
// CHECK-LABEL: func.func @other_shape
// CHECK:       ov.loop carried(
// CHECK-LABEL: func.func @last_value
// CHECK:       ov.loop carried(
// CHECK-LABEL: func.func @ended
// CHECK:       carried(%a) sliced(%x)
func.func @recurrence(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>) -> tensor<5x4xf32> {
  // expected-remark@+1 {{left: ov.loop: each carried value is computed from itself, or may have another shape at first}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%d : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %all : tensor<5x4xf32>
}
func.func @other_shape(%x: tensor<5x4xf32>, %a: tensor<1x1xf32>) -> tensor<5x4xf32> {
  // expected-remark@+1 {{left: ov.loop: each carried value is computed from itself, or may have another shape at first}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<5x4xf32>) -> (tensor<1x?xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x?xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x?xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %all : tensor<5x4xf32>
}
func.func @last_value(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark@+1 {{left: ov.loop: slices in place of carried values would save no operation}}
  %r, %q = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) last(%d : tensor<1x4xf32>)
  }
  func.return %q : tensor<1x4xf32>
}
func.func @ended(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>, %c: tensor<i1>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left: ov.loop: a condition may end it, or its trip count is not known}}
  %r, %all = ov.loop while(%c) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// What may stop the program is not computed for iterations that do not come; what takes too much memory neither.
// CHECK-LABEL: func.func @may_fail
// CHECK:       ov.loop carried(%a)
func.func @may_fail(%x: tensor<?x4xf32>, %a: tensor<1x4xf32>, %y: tensor<?xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left: ov.loop: each carried value is computed from itself}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.add %p, %y : (tensor<1x4xf32>, tensor<?xf32>) -> tensor<1x4xf32>
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}
func.func @too_large(%x: tensor<26x4xf32>, %a: tensor<1x4xf32>) -> tensor<26x4xf32> {
  // expected-remark@+1 {{left: ov.loop: shifted tensors would take 416 bytes, more than max-bytes=400}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<26x4xf32>) -> (tensor<1x4xf32>, tensor<26x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
  }
  func.return %all : tensor<26x4xf32>
}

// -----

// In a loop that stays, with an inner loop that goes.
// CHECK-LABEL: func.func @nested
// CHECK:       ov.loop trip(%n) carried(%a)
// CHECK:         ov.concat %v, %{{.*}} {axis = 0 : i64}
// CHECK:         ov.loop sliced(
func.func @nested(%n: tensor<i64>, %x: tensor<5x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: it slices nothing, and its trip count is not known}}
  %o = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%j: tensor<i64>, %v: tensor<1x4xf32>):
    // expected-remark@+1 {{1 carried values are slices}}
    %r, %all = ov.loop carried(%v) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<5x4xf32>) {
    ^bb1(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %d = ov.subtract %p, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.next carried(%p : tensor<1x4xf32>) concat(%d : tensor<1x4xf32>)
    }
    %w = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<5x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %o : tensor<1x4xf32>
}
