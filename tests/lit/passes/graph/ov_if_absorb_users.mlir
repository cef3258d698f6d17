// RUN: loomir-opt %s -p ov-if-absorb-users | filecheck %s
// CHECK-LABEL: func.func @only_user(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xf32>, %[[Y:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.power %[[X]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[P_1]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[T:[^ ,:)]+]] = ov.tanh %[[Y]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[P_2:[^ ,:)]+]] = ov.power %[[T]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[P_2]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[P]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @two_uses(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xf32>, %[[Y:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.tanh %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.power %[[X]], %[[P]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[Q_1]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[Y]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.power %[[Y]], %[[P_1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[Q_2]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[Q]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @independent_users(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xf32>, %[[Y:[^ ,:)]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]], %[[Q:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.power %[[Y]], %[[Y]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[P_1]], %[[Q_1]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_2:[^ ,:)]+]] = ov.tanh %[[Y]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.power %[[X]], %[[Y]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[P_2]], %[[Q_2]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[P]], %[[Q]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @folds(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xi32>) -> tensor<4xi32> {
// CHECK-NEXT: %[[ZERO:[^ ,:)]+]] = ov.constant dense<0> : tensor<4xi32> : tensor<4xi32>
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xi32>) {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.multiply %[[X]], %[[X]] : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: ov.yield %[[P_1]] : tensor<4xi32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_2:[^ ,:)]+]] = ov.multiply %[[ZERO]], %[[X]] : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: ov.yield %[[P_2]] : tensor<4xi32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[P]] : tensor<4xi32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @returned(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xf32>, %[[Y:[^ ,:)]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: ov.yield %[[X]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %[[Y]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.tanh %[[R]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[R]], %[[P]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @read_by_a_branch(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[D:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xf32>, %[[Y:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: ov.yield %[[X]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %[[Y]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.tanh %[[R]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.if %[[D]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.add %[[P]], %[[X]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[Q_1]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.add %[[P]], %[[R]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[Q_2]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[Q]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @behind_what_may_fail(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<4xf32>, %[[Y:[^ ,:)]+]]: tensor<4xf32>, %[[I:[^ ,:)]+]]: tensor<i64>) -> (tensor<4xf32>, tensor<f32>) {
// CHECK-NEXT: %[[AXIS:[^ ,:)]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: ov.yield %[[X]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %[[Y]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[G:[^ ,:)]+]] = ov.gather %[[X]], %[[I]], %[[AXIS]] {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.tanh %[[R]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[P]], %[[G]] : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: }
func.func @only_user(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    %t = ov.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %t : tensor<4xf32>
  }
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %p = ov.power %r, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %p : tensor<4xf32>
}

// Both users of a result move, and what is computed of both of them.
func.func @two_uses(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    ov.yield %y : tensor<4xf32>
  }
  %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
  %q = ov.power %r, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %q : tensor<4xf32>
}

// Two results, each with a user of its own.
func.func @independent_users(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    ov.yield %x, %y : tensor<4xf32>, tensor<4xf32>
  } else {
    ov.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
  %q = ov.power %s, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %p, %q : tensor<4xf32>, tensor<4xf32>
}

// The branch that yields zero folds what it is multiplied with (of integers).
func.func @folds(%c: tensor<i1>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = ov.constant dense<0> : tensor<4xi32> : tensor<4xi32>
  %r = ov.if %c -> (tensor<4xi32>) {
    ov.yield %x : tensor<4xi32>
  } else {
    ov.yield %zero : tensor<4xi32>
  }
  %p = ov.multiply %r, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %p : tensor<4xi32>
}

// The result itself is returned, too: nothing moves.
func.func @returned(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    ov.yield %y : tensor<4xf32>
  }
  %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r, %p : tensor<4xf32>, tensor<4xf32>
}

// A later branch reads the result: the sum that reads it, too, stays, and so does what is computed of the sum.
func.func @read_by_a_branch(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    ov.yield %y : tensor<4xf32>
  }
  %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
  %s = ov.if %d -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    ov.yield %r : tensor<4xf32>
  }
  %q = ov.add %p, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %q : tensor<4xf32>
}

// The branch does not move past a gather, whose index may be outside.
func.func @behind_what_may_fail(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<i64>) -> (tensor<4xf32>, tensor<f32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<4xf32>) {
    ov.yield %x : tensor<4xf32>
  } else {
    ov.yield %y : tensor<4xf32>
  }
  %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
  func.return %p, %g : tensor<4xf32>, tensor<f32>
}
