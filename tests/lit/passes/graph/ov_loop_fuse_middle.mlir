// RUN: loomir-opt %s -p ov-loop-fuse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-fuse --remarks --split-input-file --verify-diagnostics -o /dev/null

// Elementwise operations between the loops move into the body: the operand of one row is used as it is, the one of all rows is sliced.
// The sum is a result, which the loop joins.
// CHECK-LABEL: func.func @elementwise
// CHECK-NEXT:  %c = ov.sin %b
// CHECK-NEXT:  %{{.*}}, %t, %s = ov.loop carried(%a, %a) sliced(%x, %y)
// CHECK-NEXT:  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %[[V:.*]]: tensor<1x4xf32>, %p: tensor<1x4xf32>, %[[Y:.*]]: tensor<1x4xf32>):
// CHECK:         %w = ov.tanh
// CHECK-NEXT:    %e = ov.exp %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %m = ov.multiply %e, %c : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %[[S:.*]] = ov.add %[[Y]], %m : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    ov.subtract %[[S]], %[[V]]
// CHECK:         concat(%[[S]] : tensor<1x4xf32>)
func.func @elementwise(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  // expected-remark@+2 {{no earlier loop}}
  // expected-remark@+1 {{done: ov.loop: fused two loops: the second slices an elementwise function of what the first concatenates}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %e = ov.exp %all : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = ov.sin %b : (tensor<4xf32>) -> tensor<4xf32>
  %m = ov.multiply %e, %c : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %s = ov.add %y, %m : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = ov.loop carried(%a) sliced(%s) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t, %s : tensor<1x4xf32>, tensor<8x4xf32>
}

// -----

// Joined backwards in pairs on the last axis, and so sliced.
// CHECK-LABEL: func.func @backwards
// CHECK:       ov.loop trip(%n) carried(%a, %a) :
// CHECK:         %[[E:.*]] = ov.exp %{{.*}} : (tensor<1x2xf32>) -> tensor<1x2xf32>
// CHECK:         ov.subtract %{{.*}}, %[[E]]
func.func @backwards(%n: tensor<i64>, %a: tensor<1x2xf32>) -> tensor<1x2xf32> {
  // expected-remark@+2 {{no earlier loop}}
  // expected-remark@+1 {{done: ov.loop: fused two loops: the second slices an elementwise function of what the first concatenates}}
  %r, %all = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = -1, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x2xf32>):
    %w = ov.tanh %v : (tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%w : tensor<1x2xf32>) concat(%w : tensor<1x2xf32>)
  }
  %e = ov.exp %all : (tensor<1x?xf32>) -> tensor<1x?xf32>
  %t = ov.loop trip(%n) carried(%a) sliced(%e) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -2, part_size = 2>]} : (tensor<i64>, tensor<1x2xf32>, tensor<1x?xf32>) -> tensor<1x2xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x2xf32>, %p: tensor<1x2xf32>):
    %d = ov.subtract %v, %p : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %w = ov.tanh %d : (tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%w : tensor<1x2xf32>)
  }
  func.return %t : tensor<1x2xf32>
}

// -----

// Not elementwise; of all rows and open; the first loop is a map, which needs no loop; what is between is a result of open extents.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-6: ov.loop
func.func @others(%x: tensor<8x4xf32>, %y: tensor<?x4xf32>, %a: tensor<1x4xf32>, %o: tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>) {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{no earlier loop}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %m = ov.subtract %all, %most : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  // expected-remark@+1 {{left: ov.loop: it depends on the first loop in another way}}
  %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  // expected-remark@+1 {{no earlier loop}}
  %open = ov.loop sliced(%y) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.tanh %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  %f = ov.exp %open : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark@+1 {{left: ov.loop: one of the two loops may be computed without a loop}}
  %u, %again = ov.loop carried(%a) sliced(%f) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %g = ov.exp %again : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark@+1 {{left: ov.loop: the extents of an operation between them are not known}}
  %z = ov.loop carried(%a) sliced(%g) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.cos %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %h = ov.add %g, %o : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark@+1 {{left: ov.loop: it depends on the first loop in another way}}
  %k = ov.loop carried(%z) sliced(%h) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.subtract %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.sin %d : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %t, %k, %z, %g : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>
}
