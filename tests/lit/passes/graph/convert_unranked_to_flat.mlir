// RUN: loomir-opt %s -p convert-unranked-to-flat,canonicalize,cse | filecheck %s

// What needs no rank works on the elements; what needs one is dispatched.
// CHECK-LABEL: func.func @main
// CHECK-SAME: loomir.name = "y/data", loomir.of = "y", loomir.part = "flat"
// CHECK-SAME: loomir.name = "y/extents", loomir.of = "y", loomir.part = "extents"
func.func @main(%c: tensor<i1>, %x: tensor<2x3xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>)
    -> (tensor<*xf32> {loomir.name = "y"}, tensor<*xf32> {loomir.name = "g"}, tensor<*xf32> {loomir.name = "h"}) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK: %[[FLAT:.*]], %[[EXTENTS:.*]] = ov.if %c -> (tensor<?xf32>, tensor<?xi64>) {
  // CHECK: ov.yield {{.*}} : tensor<6xf32>, tensor<2xi64>
  // CHECK: ov.yield %v, {{.*}} : tensor<4xf32>, tensor<1xi64>
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<2x3xf32>
  } else {
    ov.yield %v : tensor<4xf32>
  }
  // CHECK: %[[EXP:.*]] = ov.exp %[[FLAT]] : (tensor<?xf32>) -> tensor<?xf32>
  %e = ov.exp %r : (tensor<*xf32>) -> tensor<*xf32>
  // CHECK: %[[SUM:.*]] = ov.add %[[EXP]], %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %f = ov.add %e, %s : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  // CHECK: %[[BOTH:.*]] = ov.multiply %[[SUM]], %[[EXP]] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %y = ov.multiply %f, %e : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  // CHECK: %[[IS_1:.*]] = ov.equal
  // CHECK: ov.if %[[IS_1]] -> (tensor<?xf32>, tensor<?xi64>) {
  // CHECK: ov.reduce_sum {{.*}} : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
  // CHECK: } else {
  // CHECK: ov.reduce_sum {{.*}} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3xf32>
  %g = ov.reduce_sum %y, %zero : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  // Only one rank can be transposed so, which the result then has; the other one fails.
  // CHECK: %h = ov.if %[[IS_1]] -> (tensor<3x2xf32>) {
  // CHECK: ov.fail {{.*}} : tensor<3x2xf32>
  // CHECK: ov.transpose {{.*}} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %h = ov.transpose %y, %order : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  func.return %y, %g, %h : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// A carried value that gains a dimension in each iteration: its elements stay where they are, its extents grow.
// CHECK-LABEL: func.func @grows
func.func @grows(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<*xf32>, tensor<?xi64>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK: ov.loop trip(%n) carried({{.*}}) : (tensor<i64>, tensor<1xi64>) -> tensor<?xi64> {
  // CHECK: %[[LONGER:.*]] = ov.row_insert
  // CHECK: %[[CHECKED:.*]] = ov.check_bounds %[[LONGER]] : (tensor<?xi64>) -> tensor<?xi64, #ov.bounds<32>>
  // CHECK: ov.next carried(%[[CHECKED]] : tensor<?xi64, #ov.bounds<32>>)
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2xf32>) -> tensor<*xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %b = ov.unsqueeze %a, %zero : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
    ov.next carried(%b : tensor<*xf32>)
  }
  %s = ov.shape_of %r : (tensor<*xf32>) -> tensor<?xi64>
  // CHECK: func.return %x, %[[EXTENTS:.*]], %[[EXTENTS]] : tensor<2xf32>
  func.return %r, %s : tensor<*xf32>, tensor<?xi64>
}

// Axes that are computed of the rank: in each branch they are constants.
// CHECK-LABEL: func.func @every_axis
func.func @every_axis(%c: tensor<i1>, %x: tensor<2x3xf32>, %v: tensor<4xf32>) -> tensor<*xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<2x3xf32>
  } else {
    ov.yield %v : tensor<4xf32>
  }
  %shape = ov.shape_of %r : (tensor<*xf32>) -> tensor<?xi64>
  %rank = ov.shape_of %shape : (tensor<?xi64>) -> tensor<1xi64>
  %stop = ov.squeeze %rank : (tensor<1xi64>) -> tensor<i64>
  %axes = ov.range %zero, %stop, %one {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // CHECK: ov.reduce_sum {{.*}} {keep_dims = true} : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  // CHECK: ov.reduce_sum {{.*}} {keep_dims = true} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<1x1xf32>
  %y = ov.reduce_sum %r, %axes {keep_dims = true} : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}

// A loop of one iteration, which begins with a scalar and gives a value of unknown rank: the result has its elements and extents.
// CHECK-LABEL: func.func @begins_with_a_rank
// CHECK-SAME: loomir.name = "y/data", {{.*}}loomir.name = "y/extents", {{.*}}, tensor<f32> {loomir.name = "z"})
func.func @begins_with_a_rank(%x: tensor<1x3xf32> {loomir.name = "x"}, %v: tensor<f32> {loomir.name = "v"}, %n: tensor<i64> {loomir.name = "n"}) -> (tensor<*xf32> {loomir.name = "y"}, tensor<f32> {loomir.name = "z"}) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%v) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<f32>, tensor<1x3xf32>) -> tensor<*xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>, %p: tensor<1x3xf32>):
    %grown = ov.loop trip(%n) carried(%p) : (tensor<i64>, tensor<1x3xf32>) -> tensor<*xf32> {
    ^bb0(%j: tensor<i64>, %b: tensor<*xf32>):
      %c = ov.unsqueeze %b, %zero : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
      ov.next carried(%c : tensor<*xf32>)
    }
    ov.next carried(%grown : tensor<*xf32>)
  }
  // CHECK: %[[EXTENTS:.*]] = ov.loop trip(%n)
  // CHECK: func.return %{{.*}}, %[[EXTENTS]], %v : tensor<3xf32>, tensor<?xi64>, tensor<f32>
  func.return %r, %v : tensor<*xf32>, tensor<f32>
}
