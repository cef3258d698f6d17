// RUN: loomir-opt %s -p ov-loop-end-frozen,canonicalize --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-end-frozen --split-input-file --remarks --verify-diagnostics -o /dev/null

// The flag may be set before the loop. Its branch is decided: in no trip it is set.
// CHECK-LABEL: func.func @flag
// CHECK:       %[[GO:.*]] = ov.logical_not %start
// CHECK-NEXT:  %[[ALSO:.*]] = ov.logical_and %g, %[[GO]]
// CHECK-NEXT:  %r, %{{.*}} = ov.loop trip(%five) while(%[[ALSO]]) carried(%x, %start)
// CHECK-NOT:   ov.if
// CHECK:         %[[Q:.*]] = ov.exp
// CHECK:         %[[HIGH:.*]] = ov.greater
// CHECK-NEXT:    %[[AGAIN:.*]] = ov.logical_not %[[HIGH]]
// CHECK-NEXT:    %[[BOTH:.*]] = ov.logical_and %g, %[[AGAIN]]
// CHECK-NEXT:    ov.next while(%[[BOTH]]) carried(%[[Q]], %[[HIGH]]
func.func @flag(%g: tensor<i1>, %start: tensor<i1>, %x: tensor<f32>, %most: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-end-frozen: done: ov.loop: ends once a flag freezes its state}}
  %r, %d = ov.loop trip(%five) while(%g) carried(%x, %start) : (tensor<i64>, tensor<i1>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %done: tensor<i1>):
    %w = ov.if %done -> (tensor<f32>) {
      ov.yield %v : tensor<f32>
    } else {
      %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    %high = ov.greater %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %stop = ov.logical_or %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%g) carried(%w, %stop : tensor<f32>, tensor<i1>)
  }
  func.return %r, %d : tensor<f32>, tensor<i1>
}

// -----

// A flag that is false from some trip on, in an inner loop that slices; the count of trips is read by nobody.
// CHECK-LABEL: func.func @active
// CHECK:       ov.loop trip(%n)
// CHECK:         ov.loop carried(%{{.*}}) sliced(%z)
// CHECK-NOT:       ov.select
// CHECK:           %[[Q:.*]] = ov.multiply
// CHECK:           %[[LOW:.*]] = ov.less
// CHECK-NEXT:      ov.next while(%[[LOW]]) carried(%[[Q]]
func.func @active(%n: tensor<i64>, %x: tensor<f32>, %z: tensor<9xf32>, %most: tensor<f32>) -> tensor<f32> {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-end-frozen: left: ov.loop: no condition freezes its state, or each trip gives a result}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    // expected-remark@+1 {{ov-loop-end-frozen: done: ov.loop: ends once a flag freezes its state}}
    %s, %d, %c = ov.loop carried(%v, %true, %n) sliced(%z) {slices = [#ov.slice<axis = 0>]} : (tensor<f32>, tensor<i1>, tensor<i64>, tensor<9xf32>) -> (tensor<f32>, tensor<i1>, tensor<i64>) {
    ^bb0(%j: tensor<i64>, %u: tensor<f32>, %active: tensor<i1>, %count: tensor<i64>, %p: tensor<1xf32>):
      %shape = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
      %f = ov.reshape %p, %shape : (tensor<1xf32>, tensor<0xi64>) -> tensor<f32>
      %q = ov.multiply %u, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %w = ov.select %active, %q, %u : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %low = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %still = ov.logical_and %low, %active : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %more = ov.add %count, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      ov.next carried(%w, %still, %more : tensor<f32>, tensor<i1>, tensor<i64>)
    }
    ov.next carried(%s : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// The condition is of the state itself: the loop ends with the first trip that changes nothing. The gather may fail, but it has succeeded
// in that trip, on the same operands.
// CHECK-LABEL: func.func @condition
// CHECK:         %[[HIGH:.*]] = ov.greater
// CHECK:         ov.if %[[HIGH]]
// CHECK:         %[[AGAIN:.*]] = ov.logical_not %[[HIGH]]
// CHECK-NEXT:    ov.next while(%[[AGAIN]])
func.func @condition(%x: tensor<f32>, %k: tensor<4xf32>, %table: tensor<4xf32>) -> tensor<f32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-end-frozen: done: ov.loop: ends once a condition freezes its state}}
  %r = ov.loop trip(%five) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %number = ov.convert %v {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %most = ov.gather %table, %number, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %high = ov.greater %v, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.if %high -> (tensor<f32>) {
      ov.yield %v : tensor<f32>
    } else {
      %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// Each trip gathers another element, which may be out of range.
// CHECK-LABEL: func.func @may_fail
// CHECK-NOT:   while
func.func @may_fail(%k: tensor<9xi64>, %x: tensor<f32>, %table: tensor<4xf32>) -> tensor<f32> {
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-end-frozen: left: ov.loop: an operation of a trip that changes nothing may fail}}
  %r, %d = ov.loop carried(%x, %false) sliced(%k) {slices = [#ov.slice<axis = 0>]} : (tensor<f32>, tensor<i1>, tensor<9xi64>) -> (tensor<f32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %done: tensor<i1>, %number: tensor<1xi64>):
    %part = ov.gather %table, %number, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    %shape = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
    %f = ov.reshape %part, %shape : (tensor<1xf32>, tensor<0xi64>) -> tensor<f32>
    %w = ov.if %done -> (tensor<f32>) {
      ov.yield %v : tensor<f32>
    } else {
      %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
      ov.yield %q : tensor<f32>
    }
    %high = ov.greater %w, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %stop = ov.logical_or %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%w, %stop : tensor<f32>, tensor<i1>)
  }
  func.return %r : tensor<f32>
}

// -----

// A negative trip count is no limit: the loop would never end.
// CHECK-LABEL: func.func @endless
// CHECK-NOT:   while
func.func @endless(%n: tensor<i64>, %x: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  // expected-remark@+1 {{ov-loop-end-frozen: left: ov.loop: nothing else surely ends it}}
  %r, %d = ov.loop trip(%n) carried(%x, %false) : (tensor<i64>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %done: tensor<i1>):
    %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %w = ov.select %done, %v, %q : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %high = ov.greater %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %stop = ov.logical_or %done, %high : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%w, %stop : tensor<f32>, tensor<i1>)
  }
  func.return %r : tensor<f32>
}

// -----

// Each trip joins a part.
// CHECK-LABEL: func.func @joined
// CHECK-NOT:   while
func.func @joined(%x: tensor<1xf32>, %most: tensor<1xf32>) -> tensor<?xf32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-end-frozen: left: ov.loop: no condition freezes its state, or each trip gives a result}}
  %r, %all = ov.loop trip(%five) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xf32>) -> (tensor<1xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>):
    %shape = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
    %high = ov.greater %v, %most : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %c = ov.reshape %high, %shape : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    %q = ov.exp %v : (tensor<1xf32>) -> tensor<1xf32>
    %w = ov.select %c, %v, %q : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.next carried(%w : tensor<1xf32>) concat(%w : tensor<1xf32>)
  }
  func.return %all : tensor<?xf32>
}

// -----

// The flag may be reset. The iteration number decides otherwise in a later trip.
// CHECK-LABEL: func.func @reset
// CHECK-NOT:   while
func.func @reset(%x: tensor<f32>, %most: tensor<f32>, %three: tensor<i64>) -> tensor<f32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  // expected-remark@+1 {{ov-loop-end-frozen: left: ov.loop: no condition freezes its state, or each trip gives a result}}
  %r, %d = ov.loop trip(%five) carried(%x, %false) : (tensor<i64>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %done: tensor<i1>):
    %q = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %w = ov.select %done, %v, %q : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %early = ov.less %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %u = ov.select %early, %v, %w : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %high = ov.greater %u, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next carried(%u, %high : tensor<f32>, tensor<i1>)
  }
  func.return %r : tensor<f32>
}
