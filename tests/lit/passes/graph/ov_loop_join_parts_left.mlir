// RUN: loomir-opt %s -p ov-loop-join-parts --remarks --split-input-file --verify-diagnostics | filecheck %s

// The trip reads what there is already.
// CHECK: carried(%x)
// CHECK: ov.concat
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: it carries nothing to which a trip only adds a part}}
  %all = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %s = ov.reduce_max %t, %axis {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// The trip reads what there is then.
// CHECK: carried(%x, %a)
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>, %a: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: it carries nothing to which a trip only adds a part}}
  %all, %r = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<1x4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>, %v: tensor<4xf32>):
    %w = ov.concat %t, %x {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    %s = ov.reduce_max %w, %axis {keep_dims = false} : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %m = ov.maximum %s, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %m : tensor<?x4xf32>, tensor<4xf32>)
  }
  func.return %all, %r : tensor<?x4xf32>, tensor<4xf32>
}

// -----

// At both ends; twice the same.
// CHECK: carried(%x, %x)
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: a tensor grows at both of its ends, or not at all}}
  %all, %more = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>, %u: tensor<?x4xf32>):
    %w = ov.concat %x, %t, %x {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    %d = ov.concat %u, %u {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%w, %d : tensor<?x4xf32>, tensor<?x4xf32>)
  }
  func.return %all, %more : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// How much a trip adds is data.
// CHECK: carried(%x)
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: the extent of an added part is not known, or 0}}
  %all = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %w = ov.concat %t, %y {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// A reshape would accept 2x3 for 3x2.
// CHECK: carried(%x)
func.func @main(%n: tensor<i64>, %x: tensor<1x?x?xf32>, %y: tensor<1x?x?xf32>) -> tensor<?x?x?xf32> {
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: several extents of an added part are not known}}
  %all = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x?x?xf32>) -> tensor<?x?x?xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x?x?xf32>):
    %w = ov.concat %t, %y {axis = 0 : i64} : (tensor<?x?x?xf32>, tensor<1x?x?xf32>) -> tensor<?x?x?xf32>
    ov.next carried(%w : tensor<?x?x?xf32>)
  }
  func.return %all : tensor<?x?x?xf32>
}

// -----

// A reshape would accept 0x5 for 0x4.
// CHECK: carried(%x)
func.func @main(%n: tensor<i64>, %x: tensor<1x0x4xf32>, %y: tensor<1x0x?xf32>) -> tensor<?x0x4xf32> {
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: several extents of an added part are not known}}
  %all = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x0x4xf32>) -> tensor<?x0x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x0x4xf32>):
    %w = ov.concat %t, %y {axis = 0 : i64} : (tensor<?x0x4xf32>, tensor<1x0x?xf32>) -> tensor<?x0x4xf32>
    ov.next carried(%w : tensor<?x0x4xf32>)
  }
  func.return %all : tensor<?x0x4xf32>
}

// -----

// A condition may end the loop: the rows behind are what they were.
// CHECK: carried(%y)
func.func @main(%x: tensor<6x1x4xf32>, %y: tensor<6x4xf32>, %c: tensor<1xf32>) -> tensor<6x4xf32> {
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: not every row of the table is surely written}}
  %r = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<6x4xf32>, tensor<6x1x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<6x4xf32>, %p: tensor<1x1x4xf32>):
    %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
    %axes = ov.constant dense<[0, 1, 2]> : tensor<3xi64> : tensor<3xi64>
    %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
    %none = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
    %limit = ov.reshape %c, %none : (tensor<1xf32>, tensor<0xi64>) -> tensor<f32>
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %row = ov.reshape %p, %shape : (tensor<1x1x4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %m = ov.reduce_max %p, %axes {keep_dims = false} : (tensor<1x1x4xf32>, tensor<3xi64>) -> tensor<f32>
    %more = ov.less %m, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = ov.scatter_nd_update %t, %at, %row : (tensor<6x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<6x4xf32>
    ov.next while(%more) carried(%w : tensor<6x4xf32>)
  }
  func.return %r : tensor<6x4xf32>
}

// -----

// The trips are fewer than the rows, or unknown; or a trip adds to what is there.
// CHECK: carried(%y, %y)
// CHECK: carried(%y)
// CHECK: carried(%y)
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>, %y: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %first = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+2 {{ov-loop-join-parts: left: ov.loop: it writes no single row of a table of static extents}}
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: the trips do not write one row after the other}}
  %a, %b = ov.loop trip(%six) carried(%y, %y) : (tensor<i64>, tensor<6x4xf32>, tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<6x4xf32>, %u: tensor<6x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %at, %x {reduction = "sum"} : (tensor<6x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<6x4xf32>
    %v = ov.scatter_update %u, %first, %x, %axis : (tensor<6x4xf32>, tensor<1xi64>, tensor<1x4xf32>, tensor<i64>) -> tensor<6x4xf32>
    ov.next carried(%w, %v : tensor<6x4xf32>, tensor<6x4xf32>)
  }
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: not every row of the table is surely written}}
  %c = ov.loop trip(%five) carried(%y) : (tensor<i64>, tensor<6x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<6x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %at, %x : (tensor<6x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<6x4xf32>
    ov.next carried(%w : tensor<6x4xf32>)
  }
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: not every row of the table is surely written}}
  %d = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<6x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<6x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %w = ov.scatter_nd_update %t, %at, %x : (tensor<6x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<6x4xf32>
    ov.next carried(%w : tensor<6x4xf32>)
  }
  func.return %a, %b, %c, %d : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// Elements of different shapes; the body reads the sequence.
// CHECK: carried(%e, %e)
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<?xf32>) -> !ovseq.sequence<tensor<?xf32>> {
  %e = ovseq.construct %x : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: an added element has no static shape}}
  %s, %t = ov.loop trip(%n) carried(%e, %e) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<?xf32>>, !ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<?xf32>>, %r: !ovseq.sequence<tensor<2xf32>>):
    %d = ovseq.insert %c, %y : (!ovseq.sequence<tensor<?xf32>>, tensor<?xf32>) -> !ovseq.sequence<tensor<?xf32>>
    %f = ovseq.at %r, %i : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
    %g = ovseq.insert %r, %f : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d, %g : !ovseq.sequence<tensor<?xf32>>, !ovseq.sequence<tensor<2xf32>>)
  }
  func.return %s : !ovseq.sequence<tensor<?xf32>>
}

// -----

// Second from the front; a sequence of unknown elements.
// CHECK: carried(%e, %y)
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %y: !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %e = ovseq.construct %x : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  // expected-remark@+2 {{ov-loop-join-parts: left: ov.loop: an element is inserted at neither end of the sequence}}
  // expected-remark@+1 {{ov-loop-join-parts: left: ov.loop: the elements before the loop are not known}}
  %s, %t = ov.loop trip(%n) carried(%e, %y) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>, %r: !ovseq.sequence<tensor<2xf32>>):
    %d = ovseq.insert %c, %x, %one : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
    %g = ovseq.insert %r, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d, %g : !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>)
  }
  func.return %s, %t : !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>
}
