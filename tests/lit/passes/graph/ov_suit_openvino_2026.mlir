// RUN: loomir-opt -p ov-suit-openvino-2026 --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p ov-suit-openvino-2026 --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// What becomes another carried value is copied; a loop that may run no iteration stands under its condition.
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    ov.next carried(%q, %p : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}
// CHECK:      %[[COUNT:.*]] = ov.maximum %n, %{{.*}}
// CHECK:      %[[GO:.*]] = ov.not_equal %[[COUNT]], %{{.*}}
// CHECK:      ov.if %[[GO]] -> (tensor<2xf32>, tensor<2xf32>) {
// CHECK:        ov.loop trip(%[[COUNT]]) carried(%a, %b)
// CHECK:          %[[NEVER:.*]] = ov.less %i, %{{.*}}
// CHECK:          %[[Q:.*]] = ov.select %[[NEVER]], %q, %q
// CHECK:          %[[P:.*]] = ov.select %[[NEVER]], %p, %p
// CHECK:          ov.next carried(%[[Q]], %[[P]] :
// CHECK:      } else {
// CHECK-NEXT:   ov.yield %a, %b
// REMARK:     done: {{.*}}a value that becomes another carried value is copied
// REMARK:     done: {{.*}}guarded by its condition, since it may run no iteration

// -----

// Near misses: a value that is handed on to itself, and one that is computed; a loop that surely runs; an unsigned quotient.
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %u: tensor<2xui8>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xui8>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    %s = ov.add %p, %q : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%p, %s : tensor<2xf32>, tensor<2xf32>)
  }
  %d = ov.divide %u, %u : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  func.return %r#0, %r#1, %d : tensor<2xf32>, tensor<2xf32>, tensor<2xui8>
}
// CHECK-LABEL: func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %u
// CHECK-NOT:   ov.if
// CHECK-NOT:   ov.select
// CHECK:       ov.next carried(%p, %s
// CHECK:       ov.divide %u, %u

// -----

// A constant condition that is false: no loop is left.
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %no = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r:2 = ov.loop trip(%n) while(%no) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    ov.next carried(%a : tensor<2xf32>) concat(%a : tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
}
// CHECK-LABEL: func.func @main(%x: tensor<2xf32>)
// CHECK-NOT:   ov.loop
// CHECK:       %[[NONE:.*]] = ov.constant dense<> : tensor<0x2xf32>
// CHECK:       %[[JOINED:.*]] = ov.reshape %{{.*}}
// CHECK:       func.return %x, %[[JOINED]]
// REMARK:      done: {{.*}}it runs no iteration

// -----

// A range that is cut in parts of two, backwards, is cut before the loop; what is joined is longer than 1.
func.func @main(%x: tensor<7x2xf32>, %n: tensor<i64>) -> (tensor<?x2xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%two) sliced(%x) {slices = [#ov.slice<axis = 0, start = 5, end = 1, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<7x2xf32>) -> (tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2x2xf32>):
    %s = ov.add %p, %p : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.next concat(%s : tensor<2x2xf32>)
  }
  func.return %r : tensor<?x2xf32>
}
// CHECK-LABEL: func.func @main(%x: tensor<7x2xf32>
// CHECK:       %[[CUT:.*]] = ov.slice %x
// CHECK-SAME:  -> tensor<4x2xf32>
// CHECK:       %[[PARTS:.*]] = ov.reshape %[[CUT]]
// CHECK-SAME:  -> tensor<2x2x2xf32>
// CHECK:       %[[BACK:.*]] = ov.reverse %[[PARTS]]
// CHECK:       ov.loop trip(%two) sliced(%[[BACK]]) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
// CHECK:         ov.next concat(%{{.*}} : tensor<1x2x2xf32>)
// CHECK:       ov.reshape
// REMARK:      done: {{.*}}its inputs are sliced before it
// REMARK:      done: {{.*}}values are concatenated along a new axis

// -----

// A TensorIterator that reads no part counts them; one that reads a part stays as it is.
func.func @main(%x: tensor<6x2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<1x2xf32>) {
  %r = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<2xf32>, tensor<6x2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %part: tensor<1x2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%b : tensor<2xf32>)
  }
  %s = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<6x2xf32>) -> (tensor<1x2xf32>) {
  ^bb0(%i: tensor<i64>, %part: tensor<1x2xf32>):
    ov.next last(%part : tensor<1x2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @main(%x: tensor<6x2xf32>, %y
// CHECK:       %[[SIX:.*]] = ov.constant dense<6> : tensor<i64>
// CHECK:       ov.loop trip(%[[SIX]]) carried(%y) :
// CHECK:       ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]}
// REMARK:      done: {{.*}}it counts the parts that it does not use

// -----

// Quotients that are rounded down, a Select of booleans, positions of 64 bits, axes from the back.
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>, %c: tensor<i1>, %d: tensor<i1>) -> (tensor<2x3xi32>, tensor<i1>, tensor<?x3xi32>, tensor<2xi32>) {
  %q = ov.divide %a, %b : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %e = ov.select %c, %d, %c : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %far = ov.constant dense<-9223372036854775808> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %s = ov.slice %a, %one, %far, %far, %zero : (tensor<2x3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xi32>
  %last = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %m = ov.reduce_max %a, %last {keep_dims = false} : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2xi32>
  func.return %q, %e, %s, %m : tensor<2x3xi32>, tensor<i1>, tensor<?x3xi32>, tensor<2xi32>
}
// CHECK-LABEL: func.func @main(%a: tensor<2x3xi32>
// CHECK:       %[[T:.*]] = ov.divide %a, %b {m_pythondiv = false}
// CHECK:       ov.multiply %[[T]], %b
// CHECK:       ov.select
// CHECK:       ov.logical_and %c, %d
// CHECK:       ov.logical_or
// CHECK:       ov.constant dense<-1073741824> : tensor<1xi64>
// CHECK:       ov.slice %a, %one
// CHECK:       %[[AXES:.*]] = ov.constant dense<1> : tensor<1xi64>
// CHECK:       ov.reduce_max %a, %[[AXES]]

// -----

// Remainders by a constant become differences, rounded down they get the divisor's sign; a boolean of a second result is a comparison.
func.func @main(%a: tensor<4xi64>, %d: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<1xi1>) {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %m = ov.mod %a, %three : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %f = ov.floor_mod %a, %three : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %g = ov.floor_mod %a, %d : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %v, %p = ov.top_k %a, %one {axis = 0 : i64} : (tensor<4xi64>, tensor<i64>) -> (tensor<1xi64>, tensor<1xi32>)
  %b = ov.convert %p {destination_type = i1} : (tensor<1xi32>) -> tensor<1xi1>
  func.return %m, %f, %g, %b : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<1xi1>
}
// CHECK-LABEL: func.func @main(%a: tensor<4xi64>, %d: tensor<4xi64>)
// CHECK:       %[[Q:.*]] = ov.divide %a, %three {m_pythondiv = false}
// CHECK-NEXT:  %[[P:.*]] = ov.multiply %[[Q]], %three
// CHECK-NEXT:  %[[M:.*]] = ov.subtract %a, %[[P]]
// CHECK:       %[[R:.*]] = ov.subtract %a
// CHECK:       %[[S:.*]] = ov.add %[[R]], %three
// CHECK-NEXT:  %[[F:.*]] = ov.select %{{.*}}, %[[S]], %[[R]]
// CHECK-NEXT:  %[[G:.*]] = ov.floor_mod %a, %d
// CHECK:       %[[B:.*]] = ov.not_equal %p, %{{.*}} : (tensor<1xi32>, tensor<i32>) -> tensor<1xi1>
// CHECK-NEXT:  func.return %[[M]], %[[F]], %[[G]], %[[B]]

// -----

// Of open rank: left alone.
func.func @main(%x: tensor<*xf32>, %n: tensor<i64>) -> (tensor<*xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<*xf32>) -> (tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %b = ov.add %a, %a : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    ov.next carried(%b : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}
// CHECK-LABEL: func.func @main(%x: tensor<*xf32>
// CHECK-NOT:   ov.if
// REMARK:      left: {{.*}}it may run no iteration, and one of its values is unranked

// -----

// A trip count below -1 is no limit, and is said as -1; one that is known to be at least that stays.
func.func @main(%a: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>) {
  %five = ov.constant dense<-5> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%five) carried(%a) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>):
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %most = ov.reduce_max %p, %axes {keep_dims = false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %c9 = ov.constant dense<9.0> : tensor<f32> : tensor<f32>
    %go = ov.less %most, %c9 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%go) carried(%p : tensor<2xf32>)
  }
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %s = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>):
    %d = ov.add %p, %p : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%d : tensor<2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<2xf32>
}
// CHECK-LABEL: func.func @main(%a: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK:       %[[NONE:.*]] = ov.constant dense<-1> : tensor<i64>
// CHECK:       ov.loop trip(%[[NONE]])
// CHECK:       %m = ov.maximum %n
// CHECK-NOT:   ov.maximum
// CHECK:       ov.loop trip(%m)

// -----

// States of sequences that may have no step are chosen, where they are read; not where the lengths are known to be positive.
func.func @main(%x: tensor<2x3x2xf32>, %h: tensor<2x1x2xf32>, %n: tensor<2xi32>) -> (tensor<2x1x3x2xf32>, tensor<2x1x2xf32>, tensor<2x1x2xf32>) {
  %w = ov.constant dense<0.5> : tensor<1x2x2xf32> : tensor<1x2x2xf32>
  %b = ov.constant dense<0.25> : tensor<1x2xf32> : tensor<1x2xf32>
  %y, %first = ov.rnn_sequence %x, %h, %n, %w, %w, %b {hidden_size = 2, direction = "forward"}
      : (tensor<2x3x2xf32>, tensor<2x1x2xf32>, tensor<2xi32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>) -> (tensor<2x1x3x2xf32>, tensor<2x1x2xf32>)
  %z, %unread = ov.rnn_sequence %x, %first, %n, %w, %w, %b {hidden_size = 2, direction = "forward"}
      : (tensor<2x3x2xf32>, tensor<2x1x2xf32>, tensor<2xi32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>) -> (tensor<2x1x3x2xf32>, tensor<2x1x2xf32>)
  %c3 = ov.constant dense<3> : tensor<2xi32> : tensor<2xi32>
  %v, %whole = ov.rnn_sequence %x, %h, %c3, %w, %w, %b {hidden_size = 2, direction = "forward"}
      : (tensor<2x3x2xf32>, tensor<2x1x2xf32>, tensor<2xi32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>) -> (tensor<2x1x3x2xf32>, tensor<2x1x2xf32>)
  func.return %z, %first, %whole : tensor<2x1x3x2xf32>, tensor<2x1x2xf32>, tensor<2x1x2xf32>
}
// CHECK-LABEL: func.func @main(%x: tensor<2x3x2xf32>, %h: tensor<2x1x2xf32>, %n: tensor<2xi32>)
// CHECK:       %y, %first = ov.rnn_sequence
// CHECK:       %[[NONE:.*]] = ov.less_equal %n, %{{.*}}
// CHECK:       %[[EACH:.*]] = ov.unsqueeze %[[NONE]]
// CHECK:       %[[STATE:.*]] = ov.select %[[EACH]], %h, %first
// CHECK:       ov.rnn_sequence %x, %[[STATE]]
// CHECK-NOT:   ov.select
// CHECK:       func.return %z, %[[STATE]], %whole
