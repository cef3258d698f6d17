// RUN: loomir-opt %s -p ov-loop-forward-rows,cse,canonicalize --split-input-file --remarks --verify-diagnostics | filecheck %s
// RUN: loomir-opt %s -p 'ov-loop-forward-rows{max-distance=0},cse,canonicalize' --split-input-file | filecheck %s --check-prefix=SMALL

// A row that was just written, in whatever shape; an update of another row is in between.
// CHECK-LABEL: func.func @just_written
// CHECK:       ov.scatter_update %t, %i, %s
// CHECK:       ov.scatter_nd_update
// CHECK:       %[[ROW:.*]] = ov.reshape %s
// CHECK-NEXT:  ov.exp %[[ROW]]
// SMALL-LABEL: func.func @just_written
// SMALL-NOT:   ov.gather_nd
// SMALL:       ov.next
func.func @just_written(%x: tensor<9x4xf32>, %y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %eight = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %ones = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 1 rows are what was just written, 0 are carried}}
  %r = ov.loop trip(%eight) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %s = ov.gather %x, %i, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.scatter_update %t, %i, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    %after = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.reshape %after, %ones : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %place = ov.reshape %i, %ones : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %flat = ov.unsqueeze %s, %zero : (tensor<4xf32>, tensor<i64>) -> tensor<1x4xf32>
    %w2 = ov.scatter_nd_update %w, %at, %flat : (tensor<9x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<9x4xf32>
    %row = ov.gather_nd %w2, %place : (tensor<9x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %e = ov.exp %row : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w3 = ov.scatter_nd_update %w2, %at, %e : (tensor<9x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<9x4xf32>
    ov.next carried(%w3 : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// Rows of one and two trips before; the first two are there before the loop, whose trips are known.
// CHECK-LABEL: func.func @two_before
// CHECK-DAG:   %[[A:.*]] = ov.gather %y, %one
// CHECK-DAG:   %[[B:.*]] = ov.gather %y, %zero
// CHECK:       ov.loop trip(%seven) carried(%y, %[[A]], %[[B]])
// CHECK-NEXT:  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>, %[[U:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>):
// CHECK:       %s = ov.add %[[V]], %[[U]]
// CHECK:       ov.next carried(%w, %s, %[[U]] :
// SMALL-LABEL: func.func @two_before
// SMALL:       ov.loop trip(%seven) carried(%y) :
func.func @two_before(%y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 0 rows are what was just written, 2 are carried}}
  %r = ov.loop trip(%seven) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %u = ov.gather %t, %i, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %j = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %v = ov.gather %t, %j, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.add %u, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k = ov.add %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %t, %k, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// From the last row to the first; nobody knows how often: a row further down is out of range, and stops the program.
// CHECK-LABEL: func.func @backwards
// CHECK:       ov.loop trip(%n) carried(%y) :
func.func @backwards(%n: tensor<i64>, %y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: left: ov.loop: no row that it reads is one that it surely wrote, and that is there before it}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %k = ov.subtract %seven, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %u = ov.gather %t, %k, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %j = ov.subtract %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %t, %j, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// As many times as there are rows.
// CHECK-LABEL: func.func @backwards_in_range
// CHECK:       %[[A:.*]] = ov.gather %y, %seven
// CHECK:       ov.loop trip(%seven) carried(%y, %[[A]]) :
func.func @backwards_in_range(%y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 0 rows are what was just written, 1 are carried}}
  %r = ov.loop trip(%seven) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %k = ov.subtract %seven, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %u = ov.gather %t, %k, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %j = ov.subtract %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %t, %j, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// The extent is open: whether there is a first row is asked before the loop, if it runs.
// CHECK-LABEL: func.func @no_row_known
// CHECK:       %[[ROW:.*]] = ov.gather %y, %zero
// CHECK:       %[[MORE:.*]] = ov.greater %{{.*}}, %zero
// CHECK:       %[[NONE:.*]] = ov.equal
// CHECK:       %[[GOOD:.*]] = ov.logical_or %[[MORE]], %[[NONE]]
// CHECK:       %[[FIRST:.*]] = ov.require %[[ROW]], %[[GOOD]] {kind = "index"
// CHECK:       ov.loop trip(%n) carried(%y, %[[FIRST]]) :
func.func @no_row_known(%n: tensor<i64>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 0 rows are what was just written, 1 are carried}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %u = ov.gather %t, %i, %zero {out_of_range = "error"} : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %j = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %t, %j, %s, %zero : (tensor<?x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %r : tensor<?x4xf32>
}

// -----

// What is before the read may stop the program first, in another way.
// CHECK-LABEL: func.func @fails_before
// CHECK:       ov.loop trip(%n) carried(%y) :
func.func @fails_before(%n: tensor<i64>, %y: tensor<?x4xf32>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: left: ov.loop: no row that it reads is one that it surely wrote, and that is there before it}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %f = ov.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %g = ov.reduce_max %f, %zero : (tensor<?xf32>, tensor<i64>) -> tensor<f32>
    %u = ov.gather %t, %i, %zero {out_of_range = "error"} : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.add %u, %g : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %j = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %t, %j, %s, %zero : (tensor<?x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %r : tensor<?x4xf32>
}

// -----

// A read that gives zeros out of range gives them before the loop, too.
// CHECK-LABEL: func.func @zeros_out_of_range
// CHECK-NOT:   ov.require
// CHECK:       ov.loop trip(%n) carried(%y, %{{.*}}) :
func.func @zeros_out_of_range(%n: tensor<i64>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 0 rows are what was just written, 1 are carried}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %u = ov.gather %t, %i, %zero : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %j = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %t, %j, %s, %zero : (tensor<?x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %r : tensor<?x4xf32>
}

// -----

// One row that each trip reads and writes.
// CHECK-LABEL: func.func @one_row
// CHECK:       ov.loop trip(%n) carried(%y, %{{.*}}) :
// CHECK-NOT:   ov.gather
func.func @one_row(%n: tensor<i64>, %y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 0 rows are what was just written, 1 are carried}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %u = ov.gather %t, %two, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.scatter_update %t, %two, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// The next trip writes over it before it is read; what it reads is that.
// CHECK-LABEL: func.func @written_over
// CHECK:       ov.loop trip(%seven) carried(%y) :
// CHECK-NOT:   ov.gather
// CHECK:       %s = ov.tanh %{{.*}}
func.func @written_over(%y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %four = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 1 rows are what was just written, 0 are carried}}
  %r = ov.loop trip(%seven) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %x = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %b = ov.broadcast %x, %four : (tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %o = ov.scatter_update %t, %i, %b, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    %u = ov.gather %o, %i, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %j = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.scatter_update %o, %j, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// An update at an index of the data is in between.
// CHECK-LABEL: func.func @another_may_be_written
// CHECK:       ov.loop trip(%seven) carried(%y) :
// CHECK:       ov.gather %t
func.func @another_may_be_written(%y: tensor<9x4xf32>, %k: tensor<i64>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: left: ov.loop: no row that it reads is one that it surely wrote, and that is there before it}}
  %r = ov.loop trip(%seven) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %u = ov.gather %t, %i, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
    %j = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o = ov.scatter_update %t, %j, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    %w = ov.scatter_update %o, %k, %s, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// What is written is added to what is there.
// CHECK-LABEL: func.func @added
// CHECK:       ov.gather_nd %o
func.func @added(%y: tensor<9x4xf32>, %a: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %ones = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{ov-loop-forward-rows: left: ov.loop: no row that it reads is one that it surely wrote, and that is there before it}}
  %r = ov.loop trip(%seven) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %at = ov.reshape %i, %ones : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %o = ov.scatter_nd_update %t, %at, %a {reduction = "sum"} : (tensor<9x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<9x4xf32>
    %u = ov.gather_nd %o, %at : (tensor<9x4xf32>, tensor<1x1xi64>) -> tensor<1x4xf32>
    %s = ov.tanh %u : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %o, %at, %s {reduction = "sum"} : (tensor<9x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// An element of a matrix, at a tuple of indices.
// CHECK-LABEL: func.func @element
// CHECK-NOT:   ov.gather_nd
// CHECK:       %e = ov.exp %p
func.func @element(%x: tensor<9xf32>, %y: tensor<9x4xf32>, %k: tensor<1xi64>) -> (tensor<9x4xf32>, tensor<9xf32>) {
  %ones = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: done: ov.loop: 1 rows are what was just written, 0 are carried}}
  %r, %all = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<9x4xf32>, tensor<9xf32>) -> (tensor<9x4xf32>, tensor<9xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>, %p: tensor<1xf32>):
    %row = ov.reshape %i, %ones : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %pair = ov.concat %row, %k {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %one = ov.unsqueeze %pair, %zero : (tensor<2xi64>, tensor<i64>) -> tensor<1x2xi64>
    %w = ov.scatter_nd_update %t, %one, %p : (tensor<9x4xf32>, tensor<1x2xi64>, tensor<1xf32>) -> tensor<9x4xf32>
    %q = ov.gather_nd %w, %one : (tensor<9x4xf32>, tensor<1x2xi64>) -> tensor<1xf32>
    %e = ov.exp %q : (tensor<1xf32>) -> tensor<1xf32>
    ov.next carried(%w : tensor<9x4xf32>) concat(%e : tensor<1xf32>)
  }
  func.return %r, %all : tensor<9x4xf32>, tensor<9xf32>
}

// -----

// Nothing is written.
// CHECK-LABEL: func.func @only_read
func.func @only_read(%n: tensor<i64>, %y: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: left: ov.loop: it reads no row of a table that it writes}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %u = ov.gather %t, %i, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.add %t, %u : (tensor<9x4xf32>, tensor<4xf32>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}

// -----

// An update at an index of the data is between what was just written and its read.
// CHECK-LABEL: func.func @may_be_written_over
// CHECK:       %u = ov.gather %o
func.func @may_be_written_over(%n: tensor<i64>, %y: tensor<9x4xf32>, %k: tensor<i64>, %a: tensor<4xf32>) -> tensor<9x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-forward-rows: left: ov.loop: no row that it reads is one that it surely wrote, and that is there before it}}
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
    %x = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %b = ov.add %a, %x : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %v = ov.scatter_update %t, %i, %b, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    %o = ov.scatter_update %v, %k, %a, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    %u = ov.gather %o, %i, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.scatter_update %o, %k, %u, %zero : (tensor<9x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<9x4xf32>
    ov.next carried(%w : tensor<9x4xf32>)
  }
  func.return %r : tensor<9x4xf32>
}
