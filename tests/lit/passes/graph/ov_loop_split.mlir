// RUN: loomir-opt %s -p 'ov-loop-split,ov-fold-constants,canonicalize,cse' | filecheck %s
// RUN: loomir-opt %s -p ov-loop-split --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p 'ov-loop-split{max-code-growth=0}' --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SMALL

// A constant: both loops have known trip counts, and the second one counts from five.
// REMARK-DAG: remark: ov-loop-split: done: 'constant' (ov.loop): split it into 2 loops
// SMALL-DAG:  remark: ov-loop-split: left: 'constant' (ov.loop): code growth of 3 is more than 0
func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %u = ov.add %v, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %early = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<4xf32>) {
      %p = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("constant")
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @constant
// CHECK-DAG:     %[[FIVE:.*]] = ov.constant dense<5>
// CHECK:         %[[S:.*]] = ov.loop trip(%[[FIVE]]) carried(%x)
// CHECK-NEXT:    ^bb0(%[[I:.*]]: tensor<i64>
// CHECK-NEXT:      ov.convert %[[I]]
// CHECK-NOT:       ov.if
// CHECK:           ov.exp
// CHECK:         %[[REST:.*]] = ov.constant dense<95>
// CHECK-NEXT:    ov.loop trip(%[[REST]]) carried(%[[S]])
// CHECK-NEXT:    ^bb0(%[[J:.*]]: tensor<i64>
// CHECK:           %[[K:.*]] = ov.add %[[J]], %{{.*}}
// CHECK-NEXT:      ov.convert %[[K]]
// CHECK-NOT:       ov.if
// CHECK:           ov.tanh

// An input, of a loop of a trip count that may be negative, which is no limit: the first loop has then as many as the input says.
// REMARK-DAG: remark: ov-loop-split: done: 'input' (ov.loop): split it into 2 loops
func.func @input(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %late = ov.less_equal %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %late -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("input")
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @input
// CHECK:         %[[NEGATIVE:.*]] = ov.less %n
// CHECK:         %[[LIMIT:.*]] = ov.select %[[NEGATIVE]], %{{.*}}, %n
// CHECK:         %[[FROM:.*]] = ov.maximum %k
// CHECK-NEXT:    %[[FIRST:.*]] = ov.minimum %[[FROM]], %[[LIMIT]]
// CHECK-NEXT:    %[[S:.*]] = ov.loop trip(%[[FIRST]]) carried(%x)
// CHECK:           ov.tanh
// CHECK:         %[[REST:.*]] = ov.subtract %n, %[[FIRST]]
// CHECK-NEXT:    ov.loop trip(%[[REST]]) carried(%[[S]])
// CHECK:           ov.exp

// Both parts of a conjunction; slices from the end of a negative axis, two at a time, and outputs joined backwards.
// REMARK-DAG: remark: ov-loop-split: done: 'range' (ov.loop): split it into 3 loops
func.func @range(%x: tensor<3x2xf32>, %y: tensor<3x21xf32>) -> (tensor<3x2xf32>, tensor<30x2xf32>) {
  %n = ov.constant dense<10> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop trip(%n) carried(%x) sliced(%y) {slices = [#ov.slice<axis = -1, start = -1, end = 1, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<3x2xf32>, tensor<3x21xf32>) -> (tensor<3x2xf32>, tensor<30x2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<3x2xf32>, %part: tensor<3x2xf32>):
    %from = ov.greater_equal %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %to = ov.greater_equal %six, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %within = ov.logical_and %from, %to : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %within -> (tensor<3x2xf32>) {
      %p = ov.exp %v : (tensor<3x2xf32>) -> tensor<3x2xf32>
      ov.yield %p : tensor<3x2xf32>
    } else {
      %p = ov.add %v, %part : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
      ov.yield %p : tensor<3x2xf32>
    }
    ov.next carried(%w : tensor<3x2xf32>) concat(%w : tensor<3x2xf32>)
  } loc("range")
  func.return %r, %all : tensor<3x2xf32>, tensor<30x2xf32>
}
// CHECK-LABEL: @range
// CHECK:         %[[R1:.*]], %[[A1:.*]] = ov.loop trip(%{{.*}}) carried(%x) sliced(%y) {slices = [#ov.slice<axis = -1, start = 21, end = 17, stride = -2, part_size = 2>]
// CHECK:           ov.add
// CHECK:         %[[R2:.*]], %[[A2:.*]] = ov.loop trip(%{{.*}}) carried(%[[R1]])
// CHECK:           ov.exp
// CHECK:         %[[R3:.*]], %[[A3:.*]] = ov.loop trip(%{{.*}}) carried(%[[R2]]) sliced(%y) {slices = [#ov.slice<axis = -1, start = 7, end = 1, stride = -2, part_size = 2>]
// CHECK:           ov.add
// CHECK:         ov.concat %[[A3]], %[[A2]], %[[A1]] {axis = 0 : i64}

// 3 i + 7 does not wrap within the trips, and neither does what is carried.
// REMARK-DAG: remark: ov-loop-split: done: 'affine' (ov.loop): split it into 3 loops
func.func @affine(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %hundred = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %first = ov.constant dense<200> : tensor<i32> : tensor<i32>
  %step = ov.constant dense<-4> : tensor<i32> : tensor<i32>
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop trip(%n) carried(%x, %first) : (tensor<i64>, tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %m = ov.multiply %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t = ov.add %m, %seven : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %early = ov.less %t, %hundred : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    %positive = ov.greater %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %u = ov.if %positive -> (tensor<4xf32>) {
      %p = ov.sin %w : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.cos %w : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    %next = ov.add %k, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.next carried(%u, %next : tensor<4xf32>, tensor<i32>)
  } loc("affine")
  func.return %r, %s : tensor<4xf32>, tensor<i32>
}
// CHECK-LABEL: @affine
// CHECK:         ov.constant dense<31> : tensor<i64>
// CHECK:           ov.exp
// CHECK-NEXT:      ov.sin
// CHECK:         ov.constant dense<19> : tensor<i64>
// CHECK:           ov.tanh
// CHECK-NEXT:      ov.sin
// CHECK:         ov.constant dense<50> : tensor<i64>
// CHECK:           ov.tanh
// CHECK-NEXT:      ov.cos

// A condition ends it: what follows the first loop runs only where that has not been ended.
// REMARK-DAG: remark: ov-loop-split: done: 'condition' (ov.loop): split it into 2 loops
func.func @condition(%go: tensor<i1>, %x: tensor<4xf32>, %most: tensor<f32>) -> tensor<4xf32> {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop while(%go) carried(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %early = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    %sum = ov.reduce_sum %w, %axes : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
    %again = ov.less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<4xf32>)
  } loc("condition")
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @condition
// CHECK:         %[[S:.*]], %[[ON:.*]] = ov.loop trip(%{{.*}}) while(%go) carried(%x, %go)
// CHECK:           ov.exp
// CHECK:           ov.next while(%[[AGAIN:.*]]) carried(%{{.*}}, %[[AGAIN]] :
// CHECK:         ov.loop while(%[[ON]]) carried(%[[S]])
// CHECK:           ov.tanh

// The limit of an inner loop is the number of the outer one's iteration, which is not negative.
// REMARK-DAG: remark: ov-loop-split: done: 'inner' (ov.loop): split it into 2 loops
// REMARK-DAG: remark: ov-loop-split: left: 'outer' (ov.loop): no branch in it compares an affine function of its iteration number
func.func @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<20> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%n) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
      %below = ov.less %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w = ov.if %below -> (tensor<4xf32>) {
        %p = ov.exp %u : (tensor<4xf32>) -> tensor<4xf32>
        ov.yield %p : tensor<4xf32>
      } else {
        %p = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
        ov.yield %p : tensor<4xf32>
      }
      ov.next carried(%w : tensor<4xf32>)
    } loc("inner")
    ov.next carried(%s : tensor<4xf32>)
  } loc("outer")
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @inner
// CHECK:         ^bb0(%[[I:.*]]: tensor<i64>, %v
// CHECK:           ov.loop trip(%{{.*}}) carried(%v)
// CHECK-NOT:         ov.if
// CHECK:             ov.exp
// CHECK:           ov.loop
// CHECK-NOT:         ov.if
// CHECK:             ov.tanh

// No iteration, one known to be the first part only, and near misses.
// REMARK-DAG: remark: ov-loop-split: left: 'early' (ov.loop): its branches take the same arms in all iterations
func.func @early(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %always = ov.less %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %always -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("early")
  func.return %r : tensor<4xf32>
}

// REMARK-DAG: remark: ov-loop-split: left: 'wraps' (ov.loop): no branch in it compares an affine function of its iteration number
func.func @wraps(%x: tensor<4xf32>, %k: tensor<i8>) -> tensor<4xf32> {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i8> : tensor<i8>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %j = ov.convert %i {destination_type = i8} : (tensor<i64>) -> tensor<i8>
    %s = ov.add %j, %k : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %c = ov.less %s, %limit : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("wraps")
  func.return %r : tensor<4xf32>
}

// REMARK-DAG: remark: ov-loop-split: left: 'orders' (ov.loop): the order of the iterations at which its branches change is not known
func.func @orders(%n: tensor<i64>, %k: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %from = ov.greater_equal %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %to = ov.less %i, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c = ov.logical_and %from, %to : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("orders")
  func.return %r : tensor<4xf32>
}

// Last values would be zeros if the second loop did not run; slices need a known first one.
// REMARK-DAG: remark: ov-loop-split: left: 'last' (ov.loop): it has last values, and may run no iteration
// REMARK-DAG: remark: ov-loop-split: left: 'slices' (ov.loop): it has slices or last values, and a branch changes at an iteration that is not known
func.func @last(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<4xf32>, %y: tensor<9x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) : (tensor<i64>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>):
    %c = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next last(%w : tensor<4xf32>)
  } loc("last")
  %s = ov.loop carried(%x) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %part: tensor<1x4xf32>):
    %c = ov.less %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("slices")
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
