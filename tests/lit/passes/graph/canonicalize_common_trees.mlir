// RUN: loomir-opt %s -p canonicalize | filecheck %s
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<f32>, %[[B:[^ ,:)]+]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: %[[ONE:[^ ,:)]+]] = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<f32>) {
// CHECK-NEXT: ov.yield %[[A]] : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %[[B]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.add %[[V0]], %[[ONE]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.add %[[V0]], %[[TWO]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.multiply %[[P]], %[[Q]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: func.return %[[S]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @tensor_with_two_readers(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[T:[^ ,:)]+]], %[[V0:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.exp %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[U:[^ ,:)]+]] = ov.tanh %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[U]], %[[P]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[A]], %[[P_1]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.multiply %[[V0]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.add %[[V0]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[S]], %[[T]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @part_of_a_tree(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[E:[^ ,:)]+]] = ov.exp %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.tanh %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.add %[[E]], %[[F]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[P]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[E_1:[^ ,:)]+]] = ov.tanh %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[F_1:[^ ,:)]+]] = ov.exp %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.add %[[E_1]], %[[F_1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[P_1]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.exp %[[V0]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.add %[[V0]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[S]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @tensors_from_outside(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.multiply %[[A]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.add %[[A]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.multiply %[[B]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S_1:[^ ,:)]+]] = ov.add %[[B]], %[[Q_1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S_1]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @more_numbers_than_operations(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<f32>, %[[B:[^ ,:)]+]]: tensor<f32>, %[[D:[^ ,:)]+]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<f32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.subtract %[[A]], %[[B]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.subtract %[[P]], %[[D]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.yield %[[S]] : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.subtract %[[B]], %[[D]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[S_1:[^ ,:)]+]] = ov.subtract %[[P_1]], %[[A]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: ov.yield %[[S_1]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @yielded_on_the_way(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[R:[^ ,:)]+]], %[[T:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.exp %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.multiply %[[P]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.subtract %[[P]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S]], %[[Q]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.multiply %[[P_1]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S_1:[^ ,:)]+]] = ov.subtract %[[P_1]], %[[Q_1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S_1]], %[[P_1]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[T]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @the_other_way_round(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.exp %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.multiply %[[P]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.subtract %[[P]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.multiply %[[P_1]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S_1:[^ ,:)]+]] = ov.subtract %[[Q_1]], %[[P_1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S_1]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @two_in_one_arm(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.exp %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.multiply %[[P]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.subtract %[[Q]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.multiply %[[P_1]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[T:[^ ,:)]+]] = ov.multiply %[[Q_1]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S_1:[^ ,:)]+]] = ov.subtract %[[Q_1]], %[[T]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S_1]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @yielded_by_one_arm(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[A:[^ ,:)]+]]: tensor<4xf32>, %[[B:[^ ,:)]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[R:[^ ,:)]+]], %[[T:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.exp %[[A]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.multiply %[[P]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.subtract %[[P]], %[[Q]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S]], %[[A]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[B]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.multiply %[[P_1]], %[[TWO]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S_1:[^ ,:)]+]] = ov.subtract %[[P_1]], %[[Q_1]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ov.yield %[[S_1]], %[[Q_1]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[T]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// Two operations read the argument of either arm: the branch chooses that alone.
func.func @numbers(%c: tensor<i1>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.add %a, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %q = ov.add %a, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = ov.multiply %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  } else {
    %p = ov.add %b, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %q = ov.add %b, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = ov.multiply %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// A tensor that the arms compute has two readers in the tree.
func.func @tensor_with_two_readers(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r, %t = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %p = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.add %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %u = ov.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s, %u : tensor<4xf32>, tensor<4xf32>
  } else {
    %p = ov.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.add %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r, %t : tensor<4xf32>, tensor<4xf32>
}

// Only the upper part of the tree has a single tensor as its leaf.
func.func @part_of_a_tree(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %f = ov.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %e, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.add %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  } else {
    %e = ov.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    %f = ov.exp %b : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %e, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.add %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// Near misses: the tensors come from outside, and the branch would copy them;
func.func @tensors_from_outside(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %q = ov.multiply %a, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.add %a, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  } else {
    %q = ov.multiply %b, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.add %b, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// three numbers in place of one for two operations;
func.func @more_numbers_than_operations(%c: tensor<i1>, %a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.subtract %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = ov.subtract %p, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  } else {
    %p = ov.subtract %b, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = ov.subtract %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// an arm yields what the tree computes on the way; and the operands are the other way round in one arm.
func.func @yielded_on_the_way(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r, %t = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %p = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s, %q : tensor<4xf32>, tensor<4xf32>
  } else {
    %p = ov.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s, %p : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r, %t : tensor<4xf32>, tensor<4xf32>
}
func.func @the_other_way_round(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  } else {
    %p = ov.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %q, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The first arm reads one value in both places, the second arm two.
func.func @two_in_one_arm(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %q, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  } else {
    %p = ov.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %t = ov.multiply %q, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %q, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// Only the second arm yields what the tree computes on the way.
func.func @yielded_by_one_arm(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r, %t = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %p = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s, %a : tensor<4xf32>, tensor<4xf32>
  } else {
    %p = ov.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %s = ov.subtract %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %s, %q : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r, %t : tensor<4xf32>, tensor<4xf32>
}
