// RUN: loomir-opt %s -p canonicalize | filecheck %s

// What both branches begin with stands before them; what needs a value of one branch only stays.
// CHECK-LABEL: func.func @first
// CHECK-NEXT: %[[P:.*]] = ov.exp %x
// CHECK-NEXT: %[[Q:.*]] = ov.tanh %[[P]]
// CHECK-NEXT: ov.if %c
// CHECK-NEXT:   ov.mat_mul %[[Q]], %a
// CHECK:      } else {
// CHECK-NEXT:   ov.mat_mul %a, %[[Q]]
func.func @first(%c: tensor<i1>, %x: tensor<4x4xf32>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = ov.if %c -> (tensor<4x4xf32>) {
    %p = ov.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = ov.tanh %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = ov.mat_mul %q, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.yield %s : tensor<4x4xf32>
  } else {
    %p = ov.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = ov.tanh %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = ov.mat_mul %a, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.yield %s : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// Branches that are equal, loops in them included, are no branches.
// CHECK-LABEL: func.func @equal
// CHECK-NEXT: %[[L:.*]] = ov.loop
// CHECK-NOT:  ov.if
// CHECK:      func.return %[[L]]
func.func @equal(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.yield %l : tensor<4xf32>
  } else {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.yield %l : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The bodies of the loops differ.
// CHECK-LABEL: func.func @different_bodies
// CHECK-NEXT: ov.if
// CHECK-COUNT-2: ov.loop
func.func @different_bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.yield %l : tensor<4xf32>
  } else {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.add %x, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.yield %l : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// What may fail moves if both branches have it, and nothing else that may fail comes before it.
// CHECK-LABEL: func.func @may_fail
// CHECK:      %[[P:.*]] = ov.gather %x, %k, %axis
// CHECK-NEXT: ov.if %c
func.func @may_fail(%c: tensor<i1>, %k: tensor<4xi64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// In the second branch another one comes first, and its error may be another.
// CHECK-LABEL: func.func @another_may_fail_before
// CHECK:      ov.if %c
// CHECK-NEXT:   ov.gather %x, %k
// CHECK:      } else {
// CHECK-NEXT:   ov.gather %x, %m
// CHECK-NEXT:   ov.gather %x, %k
func.func @another_may_fail_before(%c: tensor<i1>, %k: tensor<4xi64>, %m: tensor<4xi64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    %o = ov.gather %x, %m, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.add %o, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// What both branches end with stands behind them, a chain of it too.
// CHECK-LABEL: func.func @last
// CHECK-NEXT: %[[R:.*]] = ov.if %c
// CHECK-NEXT:   ov.mat_mul %x, %a
// CHECK-NEXT:   ov.yield
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.mat_mul %a, %x
// CHECK-NEXT:   ov.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[E:.*]] = ov.exp %[[R]]
// CHECK-NEXT: %[[S:.*]] = ov.subtract %a, %[[E]]
// CHECK-NEXT: func.return %[[S]]
func.func @last(%c: tensor<i1>, %x: tensor<4x4xf32>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = ov.if %c -> (tensor<4x4xf32>) {
    %p = ov.mat_mul %x, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = ov.exp %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = ov.subtract %a, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.yield %s : tensor<4x4xf32>
  } else {
    %p = ov.mat_mul %a, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = ov.exp %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = ov.subtract %a, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.yield %s : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// The branches would hand out 16 elements rather than one; or values from outside.
// CHECK-LABEL: func.func @larger_or_from_outside
// CHECK-COUNT-2: ov.reduce_sum
// CHECK:      %s = ov.if
// CHECK-COUNT-2: ov.exp
func.func @larger_or_from_outside(%c: tensor<i1>, %x: tensor<16xf32>, %a: tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>) {
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.tanh %x : (tensor<16xf32>) -> tensor<16xf32>
    %q = ov.reduce_sum %p, %axes : (tensor<16xf32>, tensor<1xi64>) -> tensor<f32>
    ov.yield %q : tensor<f32>
  } else {
    %p = ov.tanh %a : (tensor<16xf32>) -> tensor<16xf32>
    %q = ov.reduce_sum %p, %axes : (tensor<16xf32>, tensor<1xi64>) -> tensor<f32>
    ov.yield %q : tensor<f32>
  }
  %s = ov.if %c -> (tensor<16xf32>) {
    %p = ov.exp %x : (tensor<16xf32>) -> tensor<16xf32>
    ov.yield %p : tensor<16xf32>
  } else {
    %p = ov.exp %a : (tensor<16xf32>) -> tensor<16xf32>
    ov.yield %p : tensor<16xf32>
  }
  func.return %r, %s : tensor<f32>, tensor<16xf32>
}

// What may fail would come behind the other operation that may.
// CHECK-LABEL: func.func @another_may_fail_behind
// CHECK:      ov.if
// CHECK:        ov.gather
// CHECK-NEXT:   ov.gather
// CHECK:        ov.gather
// CHECK-NEXT:   ov.gather
// CHECK-NOT:  ov.gather
func.func @another_may_fail_behind(%c: tensor<i1>, %k: tensor<4xi64>, %m: tensor<4xi64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %y = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.gather %y, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.gather %x, %m, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p, %q : tensor<4xf32>, tensor<4xf32>
  } else {
    %y = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.gather %y, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p, %q : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// Operations that differ in a property alone are not the same, neither first nor last.
// CHECK-LABEL: func.func @other_properties
// CHECK:      ov.if
// CHECK-NEXT:   ov.elu %x {alpha = 1.000000e+00
// CHECK-NEXT:   ov.tanh
// CHECK-NEXT:   ov.elu {{.*}} {alpha = 3.000000e+00
// CHECK:      } else {
// CHECK-NEXT:   ov.elu %x {alpha = 2.000000e+00
// CHECK-NEXT:   ov.exp
// CHECK-NEXT:   ov.elu {{.*}} {alpha = 4.000000e+00
// CHECK-NOT:  ov.elu
func.func @other_properties(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.elu %x {alpha = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.elu %q {alpha = 3.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  } else {
    %p = ov.elu %x {alpha = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.elu %q {alpha = 4.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The gather of %k may not move before the one of %m, and what reads it not before itself.
// CHECK-LABEL: func.func @what_it_needs_stays
// CHECK:      ov.if
// CHECK-NEXT:   ov.gather %x, %m
// CHECK-NEXT:   ov.gather %x, %k
// CHECK-NEXT:   ov.exp
// CHECK:      } else {
// CHECK-NEXT:   ov.gather %x, %k
// CHECK-NEXT:   ov.exp
func.func @what_it_needs_stays(%c: tensor<i1>, %k: tensor<4xi64>, %m: tensor<4xi64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %q = ov.gather %x, %m, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %e = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    %f = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %f, %q : tensor<4xf32>, tensor<4xf32>
  } else {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %e = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    %f = ov.abs %e : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %f, %x : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
