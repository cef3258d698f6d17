// RUN: loomir-opt %s -p 'ov-infer,O2{before=ov-loop-unroll},canonicalize,cse' | filecheck %s
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
// CHECK-NEXT: %[[SHAPE:[^ ,:)]+]] = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
// CHECK-NEXT: %[[U:[^ ,:)]+]] = ov.reshape %[[X]], %[[SHAPE]] : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.loop trip(%[[V0]]) carried(%[[U]]) : (tensor<i64>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<1x1x1x4x3x5xi32>):
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.add %[[V]], %[[U]] : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: ov.next carried(%[[W]] : tensor<1x1x1x4x3x5xi32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @two_of_zeros(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<4x3x5xi32>) -> (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) {
// CHECK-NEXT: %[[SHAPE:[^ ,:)]+]] = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
// CHECK-NEXT: %[[U:[^ ,:)]+]] = ov.reshape %[[X]], %[[SHAPE]] : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[R:[^ ,:)]+]], %[[S:[^ ,:)]+]] = ov.loop trip(%[[V0]]) carried(%[[U]], %[[U]]) : (tensor<i64>, tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<1x1x1x4x3x5xi32>, %[[P:[^ ,:)]+]]: tensor<1x1x1x4x3x5xi32>):
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.add %[[V]], %[[U]] : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: %[[Q:[^ ,:)]+]] = ov.add %[[P]], %[[W]] : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: ov.next carried(%[[W]], %[[Q]] : tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[S]] : tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @zeros_in_the_condition(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.constant dense<0> : tensor<1x1x1x4x3x5xi32> : tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: func.return %[[R]] : tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @zeros_of_unknown_trips(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i32>, %[[LIMITS:[^ ,:)]+]]: tensor<10xi32>, %[[X:[^ ,:)]+]]: tensor<4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
// CHECK-NEXT: %[[SHAPE:[^ ,:)]+]] = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
// CHECK-NEXT: %[[ZERO:[^ ,:)]+]] = ov.constant dense<0> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[ZEROS:[^ ,:)]+]] = ov.constant dense<0> : tensor<1x1x1x4x3x5xi32> : tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: %[[AXIS:[^ ,:)]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[ONE:[^ ,:)]+]] = ov.constant dense<1> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[GO:[^ ,:)]+]] = ov.less %[[ZERO]], %[[N]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: %[[U:[^ ,:)]+]] = ov.reshape %[[X]], %[[SHAPE]] : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: %[[K:[^ ,:)]+]], %[[R:[^ ,:)]+]] = ov.loop while(%[[GO]]) carried(%[[ZERO]], %[[ZEROS]]) : (tensor<i1>, tensor<i32>, tensor<1x1x1x4x3x5xi32>) -> (tensor<i32>, tensor<1x1x1x4x3x5xi32>) {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[J:[^ ,:)]+]]: tensor<i32>, %[[V:[^ ,:)]+]]: tensor<1x1x1x4x3x5xi32>):
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.add %[[V]], %[[U]] : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: %[[J1:[^ ,:)]+]] = ov.add %[[J]], %[[ONE]] : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT: %[[LIMIT:[^ ,:)]+]] = ov.gather %[[LIMITS]], %[[J1]], %[[AXIS]] : (tensor<10xi32>, tensor<i32>, tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %[[AGAIN:[^ ,:)]+]] = ov.less %[[J1]], %[[LIMIT]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%[[AGAIN]]) carried(%[[J1]], %[[W]] : tensor<i32>, tensor<1x1x1x4x3x5xi32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<1x1x1x4x3x5xi32>
// CHECK-NEXT: }
// The first iteration needs no zeros: it takes the place of what fills them.
func.func @zeros(%x: tensor<4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %zeros = ov.broadcast %zero, %shape {mode = "numpy"} : (tensor<i32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
  %r, %s = ov.loop trip(%n) carried(%zeros, %x) : (tensor<i64>, tensor<1x1x1x4x3x5xi32>, tensor<4x3x5xi32>) -> (tensor<1x1x1x4x3x5xi32>, tensor<4x3x5xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1x1x4x3x5xi32>, %t: tensor<4x3x5xi32>):
    %u = ov.reshape %t, %shape {special_zero = false} : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
    %w = ov.add %v, %u : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
    ov.next carried(%w, %t : tensor<1x1x1x4x3x5xi32>, tensor<4x3x5xi32>)
  }
  func.return %r : tensor<1x1x1x4x3x5xi32>
}

// The same for two carried values that begin as zeros.
func.func @two_of_zeros(%x: tensor<4x3x5xi32>) -> (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %zeros = ov.broadcast %zero, %shape {mode = "numpy"} : (tensor<i32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
  %r, %s, %o = ov.loop trip(%n) carried(%zeros, %zeros, %x) : (tensor<i64>, tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>, tensor<4x3x5xi32>) -> (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>, tensor<4x3x5xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1x1x4x3x5xi32>, %p: tensor<1x1x1x4x3x5xi32>, %t: tensor<4x3x5xi32>):
    %u = ov.reshape %t, %shape {special_zero = false} : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
    %w = ov.add %v, %u : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
    %q = ov.add %p, %w : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
    ov.next carried(%w, %q, %t : tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>, tensor<4x3x5xi32>)
  }
  func.return %r, %s : tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>
}

// The condition reads the zeros: no iteration is needed to know that there is none.
func.func @zeros_in_the_condition(%x: tensor<4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
  %shape = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
  %axes = ov.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64> : tensor<6xi64>
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %zeros = ov.broadcast %zero, %shape {mode = "numpy"} : (tensor<i32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
  %sum = ov.reduce_sum %zeros, %axes {keep_dims = false} : (tensor<1x1x1x4x3x5xi32>, tensor<6xi64>) -> tensor<i32>
  %go = ov.less %zero, %sum : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %k, %r = ov.loop while(%go) carried(%zero, %zeros) : (tensor<i1>, tensor<i32>, tensor<1x1x1x4x3x5xi32>) -> (tensor<i32>, tensor<1x1x1x4x3x5xi32>) {
  ^bb0(%i: tensor<i64>, %j: tensor<i32>, %v: tensor<1x1x1x4x3x5xi32>):
    %u = ov.reshape %x, %shape {special_zero = false} : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
    %w = ov.add %v, %u : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
    %j1 = ov.add %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %sum1 = ov.reduce_sum %w, %axes {keep_dims = false} : (tensor<1x1x1x4x3x5xi32>, tensor<6xi64>) -> tensor<i32>
    %again = ov.less %j1, %sum1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%j1, %w : tensor<i32>, tensor<1x1x1x4x3x5xi32>)
  }
  func.return %r : tensor<1x1x1x4x3x5xi32>
}

// Only the run knows whether there is an iteration: the zeros may be the result.
func.func @zeros_of_unknown_trips(%n: tensor<i32>, %limits: tensor<10xi32>, %x: tensor<4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32> {
  %shape = ov.constant dense<[1, 1, 1, 4, 3, 5]> : tensor<6xi64> : tensor<6xi64>
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %zeros = ov.broadcast %zero, %shape {mode = "numpy"} : (tensor<i32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %go = ov.less %zero, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %k, %r = ov.loop while(%go) carried(%zero, %zeros) : (tensor<i1>, tensor<i32>, tensor<1x1x1x4x3x5xi32>) -> (tensor<i32>, tensor<1x1x1x4x3x5xi32>) {
  ^bb0(%i: tensor<i64>, %j: tensor<i32>, %v: tensor<1x1x1x4x3x5xi32>):
    %u = ov.reshape %x, %shape {special_zero = false} : (tensor<4x3x5xi32>, tensor<6xi64>) -> tensor<1x1x1x4x3x5xi32>
    %w = ov.add %v, %u : (tensor<1x1x1x4x3x5xi32>, tensor<1x1x1x4x3x5xi32>) -> tensor<1x1x1x4x3x5xi32>
    %j1 = ov.add %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %limit = ov.gather %limits, %j1, %axis : (tensor<10xi32>, tensor<i32>, tensor<i64>) -> tensor<i32>
    %again = ov.less %j1, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%j1, %w : tensor<i32>, tensor<1x1x1x4x3x5xi32>)
  }
  func.return %r : tensor<1x1x1x4x3x5xi32>
}
