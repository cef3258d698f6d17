// RUN: loomir-opt %s -p 'ov-uplift-while-to-for,canonicalize,cse' --split-input-file | filecheck %s

// A counter from 0 to an input: the entry asks the same.
// CHECK-LABEL: @counter
// CHECK: [[TRIPS:%.*]] = ov.maximum %n, {{%.*}} : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK: ov.loop trip([[TRIPS]]) carried(%x)
// CHECK-NOT: while
func.func @counter(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %go = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %k_end, %x_end = ov.loop while(%go) carried(%zero, %x) : (tensor<i1>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// A condition that only constants decide: 1, 3, 9, 27, 81, 243.
// CHECK-LABEL: @computed
// CHECK: [[TRIPS:%.*]] = ov.constant dense<5> : tensor<i64>
// CHECK: ov.loop trip([[TRIPS]]) carried(%x)
// CHECK-NOT: while
func.func @computed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<200> : tensor<i64> : tensor<i64>
  %k_end, %x_end = ov.loop carried(%one, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.multiply %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<4xf32>)
  }
  func.return %x_end : tensor<4xf32>
}

// -----

// The counter bounds the trips; the condition on data stays.
// CHECK-LABEL: @bounded
// CHECK: ov.loop trip(
// CHECK: [[SMALL:%.*]] = ov.less %y, %most
// CHECK: ov.next while([[SMALL]])
func.func @bounded(%n: tensor<i64>, %x: tensor<f32>, %most: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %x_end = ov.loop carried(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %y = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %done = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.less %done, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %small = ov.less %y, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and %within, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%y : tensor<f32>)
  }
  func.return %x_end : tensor<f32>
}

// -----

// A counter of 32 bits and a step of 2 may wrap around before it is at the end.
// CHECK-LABEL: @wraps
// CHECK: ov.next while(
func.func @wraps(%n: tensor<i32>, %zero: tensor<i32>) -> tensor<i32> {
  %two = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %k_end = ov.loop carried(%zero) : (tensor<i32>) -> tensor<i32> {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>):
    %k1 = ov.add %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1 : tensor<i32>)
  }
  func.return %k_end : tensor<i32>
}
