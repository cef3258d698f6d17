// RUN: loomir-opt %s -p ov-fold-ranges --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-fold-ranges --split-input-file --remarks --verify-diagnostics -o /dev/null

// The trip count is a value: i < n, i + 1 <= n, 2 i + 1 < 2 n would wrap around for large numbers, and n may be anything else.
// CHECK-LABEL: func.func @trips
// CHECK:         %less = ov.constant dense<true>
// CHECK:         %at_most = ov.constant dense<true>
// CHECK:         %equal = ov.constant dense<false>
// CHECK:         %twice_less = ov.less %twice, %two_n
// CHECK:         %next_less = ov.less %next, %n
// CHECK-NEXT:    ov.next carried(%less, %at_most, %at_most, %equal, %twice_less, %next_less
func.func @trips(%n: tensor<i64>, %x: tensor<i1>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-fold-ranges: done: ov.loop: ranges decide 3 operations in it}}
  %a, %b, %c, %d, %e, %f = ov.loop trip(%n) carried(%x, %x, %x, %x, %x, %x) : (tensor<i64>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %0: tensor<i1>, %1: tensor<i1>, %2: tensor<i1>, %3: tensor<i1>, %4: tensor<i1>, %5: tensor<i1>):
    %less = ov.less %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at_most = ov.greater_equal %n, %next : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %equal = ov.equal %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %two_n = ov.multiply %n, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %twice = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %twice_less = ov.less %twice, %two_n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next_less = ov.less %next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next carried(%less, %at_most, %at_most, %equal, %twice_less, %next_less : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>)
  }
  func.return %a, %b, %c, %d, %e, %f : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}

// -----

// An inner loop of i + 1 trips, in an outer one of 10: j <= i, and j < 10. The remainder of j by 10 is j.
// CHECK-LABEL: func.func @nest
// CHECK:       ov.loop trip(%trips)
// CHECK-NEXT:  ^bb0(%[[J:.*]]: tensor<i64>, %u: tensor<f32>):
// CHECK-NEXT:    ov.gather %x, %[[J]]
// CHECK-NEXT:    ov.multiply
// CHECK-NEXT:    ov.next
func.func @nest(%x: tensor<10xf32>, %a: tensor<f32>) -> tensor<f32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %ten = ov.constant dense<10> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-fold-ranges: left: ov.loop: ranges decide no comparison and no limit in it}}
  %r = ov.loop trip(%ten) carried(%a) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %trips = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark@+1 {{ov-fold-ranges: done: ov.loop: ranges decide 4 operations in it}}
    %s = ov.loop trip(%trips) carried(%v) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
    ^bb0(%j: tensor<i64>, %u: tensor<f32>):
      %rest = ov.floor_mod %j, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %least = ov.minimum %rest, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %limited = ov.clamp %least {min = 0.0 : f64, max = 9.0 : f64} : (tensor<i64>) -> tensor<i64>
      %g = ov.gather %x, %limited, %zero : (tensor<10xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
      %w = ov.multiply %u, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %below = ov.less_equal %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %q = ov.if %below -> (tensor<f32>) {
        ov.yield %w : tensor<f32>
      } else {
        %e = ov.exp %w : (tensor<f32>) -> tensor<f32>
        ov.yield %e : tensor<f32>
      }
      ov.next carried(%q : tensor<f32>)
    }
    ov.next carried(%s : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// -----

// A negative number of trips is no limit of a loop that a condition ends: i may be n or more there. One of max(n, 0) trips is limited.
// CHECK-LABEL: func.func @no_limit
// CHECK:       ov.loop trip(%n) while(%g)
// CHECK:         %[[LESS:.*]] = ov.less %i, %n
// CHECK-NEXT:    ov.next while(%{{.*}}) carried(%[[LESS]]
// CHECK:       ov.loop trip(%m) while(%g)
// CHECK:         %[[YES:.*]] = ov.constant dense<true>
// CHECK-NEXT:    ov.next while(%{{.*}}) carried(%[[YES]] :
func.func @no_limit(%n: tensor<i64>, %g: tensor<i1>, %x: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{ov-fold-ranges: left: ov.loop: ranges decide no comparison and no limit in it}}
  %r = ov.loop trip(%n) while(%g) carried(%x) : (tensor<i64>, tensor<i1>, tensor<i1>) -> tensor<i1> {
  ^bb0(%i: tensor<i64>, %v: tensor<i1>):
    %less = ov.less %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%v) carried(%less : tensor<i1>)
  }
  // expected-remark@+1 {{ov-fold-ranges: done: ov.loop: ranges decide 1 operations in it}}
  %s = ov.loop trip(%m) while(%g) carried(%x) : (tensor<i64>, tensor<i1>, tensor<i1>) -> tensor<i1> {
  ^bb0(%i: tensor<i64>, %v: tensor<i1>):
    %less = ov.less %i, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%v) carried(%less : tensor<i1>)
  }
  func.return %r, %s : tensor<i1>, tensor<i1>
}

// -----

// The last iteration is otherwise: 9 is more than 8.
// CHECK-LABEL: func.func @last
// CHECK:         %c = ov.greater %i, %eight
func.func @last(%x: tensor<i1>) -> tensor<i1> {
  %eight = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %ten = ov.constant dense<10> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-fold-ranges: left: ov.loop: ranges decide no comparison and no limit in it}}
  %r = ov.loop trip(%ten) carried(%x) : (tensor<i64>, tensor<i1>) -> tensor<i1> {
  ^bb0(%i: tensor<i64>, %v: tensor<i1>):
    %c = ov.greater %i, %eight : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = ov.not_equal %c, %v : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next carried(%d : tensor<i1>)
  }
  func.return %r : tensor<i1>
}
