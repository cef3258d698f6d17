// RUN: loomir-opt %s -p ov-if-absorb-users | filecheck %s
// CHECK-LABEL: func.func @power_of_a_result(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<10xf32>, %[[Y:[^ ,:)]+]]: tensor<10xf32>) -> tensor<10xf32> {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<10xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.add %[[X]], %[[X]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.power %[[P]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_1]] : tensor<10xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[Y]] : (tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.power %[[P_1]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_2]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[Q]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @result_with_two_uses(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<10xf32>, %[[Y:[^ ,:)]+]]: tensor<10xf32>) -> tensor<10xf32> {
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<10xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.add %[[X]], %[[X]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.power %[[P]], %[[P]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_1]] : tensor<10xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[Y]] : (tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.power %[[P_1]], %[[P_1]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_2]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[Q]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @into_an_empty_branch(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<10xf32>, %[[Y:[^ ,:)]+]]: tensor<10xf32>) -> tensor<10xf32> {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<10xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.add %[[X]], %[[X]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.power %[[P]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_1]] : tensor<10xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.power %[[Y]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_2]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[Q]] : tensor<10xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @two_users_of_two_results(
// CHECK-SAME: %[[C:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<10xf32>, %[[Y:[^ ,:)]+]]: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
// CHECK-NEXT: %[[TWO:[^ ,:)]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]], %[[T:[^ ,:)]+]] = ov.if %[[C]] -> (tensor<10xf32>, tensor<10xf32>) {
// CHECK-NEXT: %[[P:[^ ,:)]+]] = ov.add %[[X]], %[[X]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_1:[^ ,:)]+]] = ov.power %[[P]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: %[[T_1:[^ ,:)]+]] = ov.multiply %[[X]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_1]], %[[T_1]] : tensor<10xf32>, tensor<10xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P_1:[^ ,:)]+]] = ov.tanh %[[Y]] : (tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT: %[[Q_2:[^ ,:)]+]] = ov.power %[[Y]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: %[[T_2:[^ ,:)]+]] = ov.multiply %[[P_1]], %[[TWO]] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK-NEXT: ov.yield %[[Q_2]], %[[T_2]] : tensor<10xf32>, tensor<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[Q]], %[[T]] : tensor<10xf32>, tensor<10xf32>
// CHECK-NEXT: }
// The only user of a result moves into both branches.
func.func @power_of_a_result(%c: tensor<i1>, %x: tensor<10xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<10xf32>) {
    %p = ov.add %x, %x : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    ov.yield %p : tensor<10xf32>
  } else {
    %p = ov.tanh %y : (tensor<10xf32>) -> tensor<10xf32>
    ov.yield %p : tensor<10xf32>
  }
  %q = ov.power %r, %two : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  func.return %q : tensor<10xf32>
}

// The same, for a result with two uses.
func.func @result_with_two_uses(%c: tensor<i1>, %x: tensor<10xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %r = ov.if %c -> (tensor<10xf32>) {
    %p = ov.add %x, %x : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    ov.yield %p : tensor<10xf32>
  } else {
    %p = ov.tanh %y : (tensor<10xf32>) -> tensor<10xf32>
    ov.yield %p : tensor<10xf32>
  }
  %q = ov.power %r, %r : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  func.return %q : tensor<10xf32>
}

// One of the branches is empty.
func.func @into_an_empty_branch(%c: tensor<i1>, %x: tensor<10xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<10xf32>) {
    %p = ov.add %x, %x : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    ov.yield %p : tensor<10xf32>
  } else {
    ov.yield %y : tensor<10xf32>
  }
  %q = ov.power %r, %two : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  func.return %q : tensor<10xf32>
}

// Two users, each of its own result.
func.func @two_users_of_two_results(%c: tensor<i1>, %x: tensor<10xf32>, %y: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r, %s = ov.if %c -> (tensor<10xf32>, tensor<10xf32>) {
    %p = ov.add %x, %x : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    ov.yield %p, %x : tensor<10xf32>, tensor<10xf32>
  } else {
    %p = ov.tanh %y : (tensor<10xf32>) -> tensor<10xf32>
    ov.yield %y, %p : tensor<10xf32>, tensor<10xf32>
  }
  %q = ov.power %r, %two : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  %t = ov.multiply %s, %two : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  func.return %q, %t : tensor<10xf32>, tensor<10xf32>
}
