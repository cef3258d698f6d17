// RUN: loomir-opt %s -p ov-loop-carry-reductions --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-carry-reductions --split-input-file --remarks --verify-diagnostics -o /dev/null

// Parts are joined backwards, and the loop may run no iteration: the maximum of nothing is -inf.
// CHECK-LABEL: func.func @maximum
// CHECK:       %[[LOW:.*]] = ov.constant dense<0xff800000> : tensor<1x4xf32>
// CHECK:       %{{.*}}, %[[R:.*]] = ov.loop trip(%n) while(%g) carried(%a, %[[LOW]])
// CHECK-NOT:   concats
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<1x4xf32>, %[[M:.*]]: tensor<1x4xf32>):
// CHECK-NEXT:    %[[S:.*]] = ov.tanh %[[V]]
// CHECK-NEXT:    %[[N:.*]] = ov.maximum %[[M]], %[[S]]
// CHECK-NEXT:    ov.next while(%g) carried(%[[S]], %[[N]]
// CHECK:       func.return %[[R]]
func.func @maximum(%n: tensor<i64>, %g: tensor<i1>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<-2> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-reductions: done: ov.loop: carries 1 reductions of joined parts}}
  %v_end, %all = ov.loop trip(%n) while(%g) carried(%a) {concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<i1>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %s = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next while(%g) carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %most = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %most : tensor<1x4xf32>
}

// -----

// Both axes of parts of two rows, and rows without the axis of the trips: two reductions of one output.
// CHECK-LABEL: func.func @two
// CHECK-DAG:   %[[ZERO:.*]] = ov.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[MOST:.*]] = ov.constant dense<2147483647> : tensor<3xi32>
// CHECK:       %{{.*}}, %[[R:.*]], %[[T:.*]] = ov.loop trip(%n) carried(%a, %{{.*}}, %{{.*}})
// CHECK:         %[[S:.*]] = ov.multiply
// CHECK-DAG:     %[[P:.*]] = ov.reduce_sum %[[S]]
// CHECK-DAG:     ov.add %{{.*}}, %[[P]]
// CHECK-DAG:     %[[Q:.*]] = ov.reduce_min %[[S]]
// CHECK-DAG:     ov.minimum %{{.*}}, %[[Q]]
// CHECK-NOT:     concat(
func.func @two(%n: tensor<i64>, %a: tensor<2x3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-reductions: done: ov.loop: carries 2 reductions of joined parts}}
  %v_end, %all = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0, part_size = 2>]} : (tensor<i64>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<?x3xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x3xi32>):
    %s = ov.multiply %v, %v : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    ov.next carried(%s : tensor<2x3xi32>) concat(%s : tensor<2x3xi32>)
  }
  %r = ov.reduce_sum %all, %axes : (tensor<?x3xi32>, tensor<2xi64>) -> tensor<i32>
  %t = ov.reduce_min %all, %axis : (tensor<?x3xi32>, tensor<i64>) -> tensor<3xi32>
  func.return %r, %t : tensor<i32>, tensor<3xi32>
}

// -----

// All of nothing are true. The loop is in another one, and the axis is dropped.
// CHECK-LABEL: func.func @all
// CHECK:       ov.loop trip(%n) carried(%c)
// CHECK:         %[[TRUE:.*]] = ov.constant dense<true> : tensor<2xi1>
// CHECK-NEXT:    %{{.*}} = ov.loop trip(%n) carried(%{{.*}}, %[[TRUE]])
// CHECK:           ov.reshape
// CHECK:           %[[P:.*]] = ov.reshape
// CHECK:           ov.logical_and %{{.*}}, %[[P]]
func.func @all(%n: tensor<i64>, %c: tensor<2xi1>, %d: tensor<2xi1>) -> tensor<2xi1> {
  %axis = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-reductions: left: ov.loop: it joins nothing that is reduced only}}
  %r = ov.loop trip(%n) carried(%c) : (tensor<i64>, tensor<2xi1>) -> tensor<2xi1> {
  ^bb0(%i: tensor<i64>, %v: tensor<2xi1>):
    // expected-remark@+1 {{ov-loop-carry-reductions: done: ov.loop: carries 1 reductions of joined parts}}
    %v_end, %all = ov.loop trip(%n) carried(%v) {concats = [#ov.slice<axis = 1>]} : (tensor<i64>, tensor<2xi1>) -> (tensor<2xi1>, tensor<2x?xi1>) {
    ^bb0(%j: tensor<i64>, %u: tensor<2xi1>):
      %w = ov.logical_xor %u, %d : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
      %shape = ov.constant dense<[2, 1]> : tensor<2xi64> : tensor<2xi64>
      %s = ov.reshape %w, %shape : (tensor<2xi1>, tensor<2xi64>) -> tensor<2x1xi1>
      ov.next carried(%w : tensor<2xi1>) concat(%s : tensor<2x1xi1>)
    }
    %every = ov.reduce_logical_and %all, %axis : (tensor<2x?xi1>, tensor<1xi64>) -> tensor<2xi1>
    ov.next carried(%every : tensor<2xi1>)
  }
  func.return %r : tensor<2xi1>
}

// -----

// The order of a sum of floats matters.
// CHECK-LABEL: func.func @rounded
// CHECK:       concat(
func.func @rounded(%n: tensor<i64>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-reductions: left: ov.loop: it joins nothing that is reduced only, in an order that does not matter}}
  %v_end, %all = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %s = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %r = ov.reduce_sum %all, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %r : tensor<1x4xf32>
}

// -----

// Another axis than that of the trips stays joined.
// CHECK-LABEL: func.func @other_axis
// CHECK:       concat(
func.func @other_axis(%n: tensor<i64>, %a: tensor<1x4xf32>) -> tensor<?x1xf32> {
  %axis = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-reductions: left: ov.loop: joined parts are reduced along other axes}}
  %v_end, %all = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %s = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %r = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x1xf32>
  func.return %r : tensor<?x1xf32>
}

// -----

// The parts themselves are read, too.
// CHECK-LABEL: func.func @read
// CHECK:       concat(
func.func @read(%n: tensor<i64>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-reductions: left: ov.loop: it joins nothing that is reduced only}}
  %v_end, %all = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %s = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>) concat(%s : tensor<1x4xf32>)
  }
  %r = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// A first part of unknown extent would decide the shape of the maximum of nothing.
// CHECK-LABEL: func.func @open
// CHECK:       concat(
func.func @open(%n: tensor<i64>, %a: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-reductions: left: ov.loop: the shape of a joined part is not known}}
  %v_end, %all = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x?xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x?xf32>):
    %s = ov.tanh %v : (tensor<1x?xf32>) -> tensor<1x?xf32>
    ov.next carried(%s : tensor<1x?xf32>) concat(%s : tensor<1x?xf32>)
  }
  %r = ov.reduce_max %all, %axis {keep_dims = true} : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<1x?xf32>
  func.return %r : tensor<1x?xf32>
}
