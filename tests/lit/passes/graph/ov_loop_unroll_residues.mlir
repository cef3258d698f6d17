// RUN: loomir-opt %s -p 'ov-loop-unroll-residues,ov-fold-constants,canonicalize,cse' | filecheck %s
// RUN: loomir-opt %s -p ov-loop-unroll-residues --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p 'ov-loop-unroll-residues{max-period=2 max-code-growth=1}' --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SMALL

// A known trip count: what is left over is a copy. Slices have two parts, and joined ones too.
// REMARK-DAG: remark: ov-loop-unroll-residues: done: 'parity' (ov.loop): unrolled by the period 2 of its branches
// SMALL-DAG:  remark: ov-loop-unroll-residues: left: 'parity' (ov.loop): code growth of {{[0-9]+}} is more than 1
func.func @parity(%x: tensor<1x4xf32>, %y: tensor<11x4xf32>) -> (tensor<1x4xf32>, tensor<11x4xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%x) sliced(%y) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<11x4xf32>) -> (tensor<1x4xf32>, tensor<11x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %part: tensor<1x4xf32>):
    %m = ov.floor_mod %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %even = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %even -> (tensor<1x4xf32>) {
      %p = ov.add %v, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield %p : tensor<1x4xf32>
    } else {
      %p = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield %p : tensor<1x4xf32>
    }
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  } loc("parity")
  func.return %r, %all : tensor<1x4xf32>, tensor<11x4xf32>
}
// CHECK-LABEL: @parity
// CHECK:         %[[S:.*]], %[[PARTS:.*]] = ov.loop trip(%{{.*}}) carried(%x) sliced(%y) {slices = [#ov.slice<axis = 0, start = 11, end = 1, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]}
// CHECK-NOT:       ov.if
// CHECK:           ov.add
// CHECK-NEXT:      ov.tanh
// CHECK-NEXT:      ov.concat
// CHECK:         %[[LAST:.*]] = ov.add %[[S]]
// CHECK-NEXT:    ov.concat %[[PARTS]], %[[LAST]]

// A trip count that only the run knows: what is left over is loops of at most one iteration.
// REMARK-DAG: remark: ov-loop-unroll-residues: done: 'dynamic' (ov.loop): unrolled by the period 3 of its branches
// SMALL-DAG:  remark: ov-loop-unroll-residues: left: 'dynamic' (ov.loop): nothing that decides a branch in it repeats after a few iterations
func.func @dynamic(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %m = ov.mod %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.equal %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("dynamic")
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @dynamic
// CHECK:         %[[GROUPS:.*]] = ov.divide %n
// CHECK:         %[[S:.*]] = ov.loop trip(%[[GROUPS]]) carried(%x)
// CHECK:           ov.tanh
// CHECK-NEXT:      ov.exp
// CHECK-NEXT:      ov.tanh
// CHECK:         %[[LEFT:.*]] = ov.floor_mod %n
// CHECK:         %[[FIRST:.*]] = ov.minimum %[[LEFT]]
// CHECK:         %[[T:.*]] = ov.loop trip(%[[FIRST]]) carried(%[[S]])
// CHECK:           ov.tanh
// CHECK:         ov.loop trip(%{{.*}}) carried(%[[T]])
// CHECK:           ov.exp

// A flag that alternates, and a counter that comes back to 0: the period is that of both.
// REMARK-DAG: remark: ov-loop-unroll-residues: done: 'flag' (ov.loop): unrolled by the period 4 of its branches
func.func @flag(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %four = ov.constant dense<4> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %start = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r, %s, %t = ov.loop trip(%n) carried(%x, %start, %zero) : (tensor<i64>, tensor<4xf32>, tensor<i1>, tensor<i32>) -> (tensor<4xf32>, tensor<i1>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %c: tensor<i1>, %k: tensor<i32>):
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    %none = ov.equal %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %u = ov.if %none -> (tensor<4xf32>) {
      %p = ov.tanh %w : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %w : tensor<4xf32>
    }
    %d = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
    %more = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %following = ov.floor_mod %more, %four : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.next carried(%u, %d, %following : tensor<4xf32>, tensor<i1>, tensor<i32>)
  } loc("flag")
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @flag
// CHECK:         ov.constant dense<25>
// CHECK:         ov.loop trip(%{{.*}}) carried(%x) :
// CHECK:           ov.tanh
// CHECK-NEXT:      ov.exp
// CHECK-NEXT:      ov.exp
// CHECK-NEXT:      ov.next

// A condition may end it; no remainder by a number; the flag of the data; a remainder that has the sign of what is divided is no
// reason where that may be negative.
// REMARK-DAG: remark: ov-loop-unroll-residues: left: 'condition' (ov.loop): a condition may end it early
// REMARK-DAG: remark: ov-loop-unroll-residues: left: 'input' (ov.loop): nothing that decides a branch in it repeats after a few iterations
// REMARK-DAG: remark: ov-loop-unroll-residues: left: 'sign' (ov.loop): nothing that decides a branch in it repeats after a few iterations
// REMARK-DAG: remark: ov-loop-unroll-residues: left: 'wraps' (ov.loop): nothing that decides a branch in it repeats after a few iterations
func.func @left(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<4xf32>, %go: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %small = ov.constant dense<3> : tensor<i8> : tensor<i8>
  %none = ov.constant dense<0> : tensor<i8> : tensor<i8>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) while(%go) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %m = ov.floor_mod %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("condition")
  %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %m = ov.floor_mod %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("input")
  %t = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %d = ov.subtract %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = ov.mod %d, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.greater %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("sign")
  %u = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %j = ov.convert %i {destination_type = i8} : (tensor<i64>) -> tensor<i8>
    %m = ov.floor_mod %j, %small : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %c = ov.equal %m, %none : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %w = ov.if %c -> (tensor<4xf32>) {
      %p = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %v : tensor<4xf32>
    }
    ov.next carried(%w : tensor<4xf32>)
  } loc("wraps")
  func.return %r, %s, %t, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
