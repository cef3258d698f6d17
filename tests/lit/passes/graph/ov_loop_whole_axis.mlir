// RUN: loomir-opt %s -p ov-loop-whole-axis,canonicalize,cse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p 'ov-loop-whole-axis{max-bytes=200}' --remarks --split-input-file --verify-diagnostics

// The iteration number is a range; a row of another rank gets dimensions between it and the iteration axis.
// CHECK-LABEL: func.func @map
// CHECK-NOT:   ov.loop
// CHECK:       %[[I:.*]] = ov.range
// CHECK:       %number = ov.convert %[[I]]
// CHECK:       %[[COLUMN:.*]] = ov.reshape %number, %{{.*}} : (tensor<8xf32>, tensor<2xi64>) -> tensor<8x1xf32>
// CHECK-NEXT:  %q = ov.multiply %a, %[[COLUMN]]
// CHECK-NEXT:  %r = ov.add %x, %q : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  func.return %r
func.func @map(%x: tensor<8x4xf32>, %a: tensor<4xf32>) -> tensor<8x4xf32> {
  // expected-remark@+1 {{ov-loop-whole-axis: done: ov.loop: 3 operations are done for all iterations at once}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.multiply %a, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %r = ov.add %p, %q : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<8x4xf32>
}

// -----

// Slices of two elements, from the end to the beginning, joined forwards along another axis.
// CHECK-LABEL: func.func @backwards
// CHECK:       %[[APART:.*]] = ov.reshape %x, %{{.*}} -> tensor<4x3x2xf32>
// CHECK:       %[[FIRST:.*]] = ov.transpose %[[APART]], %{{.*}} -> tensor<3x4x2xf32>
// CHECK:       %[[STEP:.*]] = ov.constant dense<-1>
// CHECK:       %[[FLIPPED:.*]] = ov.slice %[[FIRST]], %{{.*}}, %{{.*}}, %[[STEP]]
// CHECK-NEXT:  %e = ov.exp %[[FLIPPED]]
// CHECK:       %all = ov.reshape %e, %{{.*}} -> tensor<12x2xf32>
// CHECK-NEXT:  func.return %all
func.func @backwards(%x: tensor<4x6xf32>) -> tensor<12x2xf32> {
  // expected-remark@+1 {{done: ov.loop: 1 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = -2>]} : (tensor<4x6xf32>) -> tensor<12x2xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4x2xf32>):
    %e = ov.exp %p : (tensor<4x2xf32>) -> tensor<4x2xf32>
    ov.next concat(%e : tensor<4x2xf32>)
  }
  func.return %all : tensor<12x2xf32>
}

// -----

// All is backwards: nothing is turned round. Only some of the elements are sliced.
// CHECK-LABEL: func.func @all_backwards
// CHECK-NOT:   ov.loop
// CHECK:       %[[BEGIN:.*]] = ov.constant dense<2>
// CHECK:       %[[END:.*]] = ov.constant dense<5>
// CHECK:       %[[RANGE:.*]] = ov.slice %x, %[[BEGIN]], %[[END]]
// CHECK-NEXT:  %e = ov.exp %[[RANGE]]
// CHECK-NEXT:  func.return %e
func.func @all_backwards(%x: tensor<6x4xf32>) -> tensor<3x4xf32> {
  // expected-remark@+1 {{done: ov.loop: 1 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, start = 5, end = 2, stride = -1>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<6x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%e : tensor<1x4xf32>)
  }
  func.return %all : tensor<3x4xf32>
}

// -----

// A product that a recurrence reads, with what it is made of: the loop slices it, here a vector.
// CHECK-LABEL: func.func @before_a_recurrence
// CHECK:       %e = ov.exp %{{.*}} : (tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK:       %m = ov.mat_mul %{{.*}}, %b : (tensor<5x1x4xf32>, tensor<4x4xf32>) -> tensor<5x1x4xf32>
// CHECK:       %[[ROWS:.*]] = ov.reshape %m, %{{.*}} -> tensor<5x4xf32>
// CHECK:       %r = ov.loop carried(%a) sliced(%[[ROWS]]) {slices = [#ov.slice<axis = 0>]}
// CHECK-NOT:   ov.mat_mul
func.func @before_a_recurrence(%x: tensor<5x4xf32>, %a: tensor<4xf32>, %b: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-remark@+1 {{done: ov.loop: 3 operations}}
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %q = ov.squeeze %e, %zero : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %m = ov.mat_mul %q, %b : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %s = ov.add %v, %m : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// A product that is only joined: the loop joins what it is made of, backwards as the output.
// CHECK-LABEL: func.func @behind_a_recurrence
// CHECK:       %v_end, %[[ALL:.*]] = ov.loop carried(%a) sliced(%x)
// CHECK-SAME:    concats = [#ov.slice<axis = 0>]
// CHECK-NOT:   ov.mat_mul
// CHECK:       ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
// CHECK:       %r = ov.mat_mul %{{.*}}, %b : (tensor<5x1x4xf32>, tensor<4x3xf32>) -> tensor<5x1x3xf32>
// CHECK:       %[[ROWS:.*]] = ov.reshape %r, %{{.*}} -> tensor<5x3xf32>
// CHECK:       %all = ov.slice %[[ROWS]]
// CHECK-NEXT:  func.return %all
func.func @behind_a_recurrence(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>, %b: tensor<4x3xf32>) -> tensor<5x3xf32> {
  // expected-remark@+1 {{done: ov.loop: 1 operations}}
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<5x3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %s = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = ov.mat_mul %w, %b : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%r : tensor<1x3xf32>)
  }
  func.return %all : tensor<5x3xf32>
}

// -----

// Elementwise work alone stays with the recurrence that reads it.
// CHECK-LABEL: func.func @no_product
// CHECK-NOT:   ov.exp
// CHECK:       ov.loop
func.func @no_product(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark@+1 {{left: ov.loop: nothing that pays can be computed for all iterations at once}}
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.multiply %v, %e : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%s : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// -----

// So does elementwise work that is only joined.
// CHECK-LABEL: func.func @no_product_behind
// CHECK:       ov.loop
// CHECK:       ov.exp %w
// CHECK-NEXT:  ov.next
func.func @no_product_behind(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>) -> tensor<5x4xf32> {
  // expected-remark@+1 {{left: ov.loop: nothing that pays can be computed for all iterations at once}}
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%e : tensor<1x4xf32>)
  }
  func.return %all : tensor<5x4xf32>
}

// -----

// The exponentials are the operand of a product, and so a tensor of 160 bytes; of 8 columns it would be too large.
// CHECK-LABEL: func.func @small
// CHECK-NOT:   ov.loop
func.func @small(%x: tensor<10x4xf32>, %b: tensor<4x4xf32>) -> tensor<10x4xf32> {
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<10x4xf32>) -> tensor<10x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%m : tensor<1x4xf32>)
  }
  func.return %all : tensor<10x4xf32>
}
func.func @large(%x: tensor<10x8xf32>, %b: tensor<8x4xf32>) -> tensor<10x4xf32> {
  // expected-remark@+1 {{left: ov.loop: whole tensors would take 320 bytes, more than max-bytes=200}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<10x8xf32>) -> tensor<10x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x8xf32>):
    %e = ov.exp %p : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %m = ov.mat_mul %e, %b : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%m : tensor<1x4xf32>)
  }
  func.return %all : tensor<10x4xf32>
}

// -----

// What an elementwise operation broadcasts is a buffer, unless the iteration number gives it.
func.func @broadcast(%x: tensor<60x1xf32>, %b: tensor<4xf32>) -> tensor<60x4xf32> {
  // expected-remark@+1 {{left: ov.loop: whole tensors would take 240 bytes, more than max-bytes=200}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<60x1xf32>) -> tensor<60x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>):
    %e = ov.exp %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %s = ov.add %e, %b : (tensor<1x1xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    ov.next concat(%s : tensor<1x4xf32>)
  }
  func.return %all : tensor<60x4xf32>
}
func.func @numbers(%x: tensor<60x4xf32>) -> tensor<60x4xf32> {
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<60x4xf32>) -> tensor<60x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %s = ov.add %f, %p : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%s : tensor<1x4xf32>)
  }
  func.return %all : tensor<60x4xf32>
}

// -----

// Of inputs of open extents the shorter one ends the loop; where all extents are one, nothing is cut.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:   ov.loop
// CHECK:       ov.minimum
// CHECK:       %[[X:.*]] = ov.slice %x
// CHECK:       %[[Y:.*]] = ov.slice %y
// CHECK:       %s = ov.add %[[X]], %[[Y]]
// CHECK-LABEL: func.func @dynamic_alone
// CHECK-NEXT:  %e = ov.exp %x
// CHECK-NEXT:  func.return %e
func.func @dynamic(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{done: ov.loop: 1 operations}}
  %all = ov.loop sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.add %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%s : tensor<1x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}
func.func @dynamic_alone(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark@+1 {{done: ov.loop: 1 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<?x1xf32>):
    %e = ov.exp %p : (tensor<?x1xf32>) -> tensor<?x1xf32>
    ov.next concat(%e : tensor<?x1xf32>)
  }
  func.return %all : tensor<?x?xf32>
}

// -----

// From which end of two inputs of open extents the loop starts is only known to it.
// CHECK-LABEL: func.func @dynamic_backwards
// CHECK:       ov.loop
func.func @dynamic_backwards(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left: ov.loop: it slices inputs backwards whose extents may differ}}
  %all = ov.loop sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %s = ov.add %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%s : tensor<1x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// A negative trip count is no limit, and such a loop never ends.
// CHECK-LABEL: func.func @no_limit
// CHECK:       ov.loop
// CHECK-LABEL: func.func @a_limit
// CHECK-NOT:   ov.loop
// CHECK:       ov.range
func.func @no_limit(%n: tensor<i64>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left: ov.loop: its trip count may be negative, which is no limit}}
  %all = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.multiply %a, %number : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    ov.next concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}
func.func @a_limit(%n: tensor<i64>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %all = ov.loop trip(%m) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.multiply %a, %number : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    ov.next concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// An index that may be out of range is gathered in a branch where no iteration may come. What depends on a condition of the loop stays.
// CHECK-LABEL: func.func @may_fail
// CHECK-NOT:   ov.loop
// CHECK:       %[[RUNS:.*]] = ov.not_equal
// CHECK:       ov.if %[[RUNS]]
// CHECK:       ov.gather %y
// CHECK:       } else {
// CHECK:       tensor<0x1xf32>
// CHECK-LABEL: func.func @condition
// CHECK:       ov.loop
func.func @may_fail(%n: tensor<i64>, %y: tensor<7x1xf32>) -> tensor<?x1xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 20.0 : f64} : (tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %all = ov.loop trip(%m) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x1xf32> {
  ^bb0(%i: tensor<i64>):
    %p = ov.reshape %i, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %g = ov.gather %y, %p, %axis {out_of_range = "error"} : (tensor<7x1xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x1xf32>
    ov.next concat(%g : tensor<1x1xf32>)
  }
  func.return %all : tensor<?x1xf32>
}
func.func @condition(%x: tensor<5x1xi1>) -> tensor<?x1xi1> {
  %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
  // expected-remark@+1 {{left: ov.loop: a condition may end it, or its trip count is not known}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<5x1xi1>) -> tensor<?x1xi1> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xi1>):
    %not = ov.logical_not %p : (tensor<1x1xi1>) -> tensor<1x1xi1>
    %again = ov.reshape %not, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
    ov.next while(%again) concat(%not : tensor<1x1xi1>)
  }
  func.return %all : tensor<?x1xi1>
}

// -----

// Operations that name axes; a loop in a loop; no iteration.
// CHECK-LABEL: func.func @axes
// CHECK-NOT:   ov.loop
// CHECK:       %[[AXIS:.*]] = ov.constant dense<2> : tensor<1xi64>
// CHECK:       %m = ov.reduce_max %{{.*}}, %[[AXIS]]
// CHECK:       %s = ov.softmax %e : (tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @axes(%x: tensor<3x2x4xf32>) -> tensor<3x4xf32> {
  %last = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{done: ov.loop: 5 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<3x2x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x2x4xf32>):
    %m = ov.reduce_max %p, %last {keep_dims = true} : (tensor<1x2x4xf32>, tensor<1xi64>) -> tensor<1x2x1xf32>
    %d = ov.subtract %p, %m : (tensor<1x2x4xf32>, tensor<1x2x1xf32>) -> tensor<1x2x4xf32>
    %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
    %q = ov.reduce_sum %d, %one : (tensor<1x2x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %e = ov.exp %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.softmax %e {axis = -1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%s : tensor<1x4xf32>)
  }
  func.return %all : tensor<3x4xf32>
}
// CHECK-LABEL: func.func @nested
// CHECK-NOT:   ov.loop
// CHECK:       ov.exp %{{.*}} : (tensor<3x4x1xf32>) -> tensor<3x4x1xf32>
func.func @nested(%x: tensor<3x4xf32>) -> tensor<3x4x1xf32> {
  // expected-remark@+1 {{done: ov.loop: 3 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<3x4xf32>) -> tensor<3x4x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %column = ov.constant dense<[4, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 4, 1]> : tensor<3xi64> : tensor<3xi64>
    %c = ov.reshape %p, %column : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<4x1xf32>
    // expected-remark@+1 {{done: ov.loop: 1 operations}}
    %inner = ov.loop sliced(%c) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<4x1xf32>) -> tensor<4x1xf32> {
    ^bb1(%j: tensor<i64>, %q: tensor<1x1xf32>):
      %e = ov.exp %q : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next concat(%e : tensor<1x1xf32>)
    }
    %r = ov.reshape %inner, %back : (tensor<4x1xf32>, tensor<3xi64>) -> tensor<1x4x1xf32>
    ov.next concat(%r : tensor<1x4x1xf32>)
  }
  func.return %all : tensor<3x4x1xf32>
}
func.func @never(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // expected-remark@+1 {{left: ov.loop: it has no iteration}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<0x4xf32>) -> tensor<0x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%e : tensor<1x4xf32>)
  }
  func.return %all : tensor<0x4xf32>
}

// -----

// A branch on a slice is a select, unless it has results of several shapes, or an arm has a product.
// CHECK-LABEL: func.func @branch
// CHECK-NOT:   ov.if
// CHECK:       %r = ov.select %{{.*}}, %x, %n : (tensor<3x1xi1>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-LABEL: func.func @branch_with_a_product
// CHECK:       ov.if
func.func @branch(%c: tensor<3xi1>, %x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %all = ov.loop sliced(%c, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<3xi1>, tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%i: tensor<i64>, %d: tensor<1xi1>, %p: tensor<1x4xf32>):
    %taken = ov.squeeze %d, %axis : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    %r = ov.if %taken -> (tensor<1x4xf32>) {
      ov.yield %p : tensor<1x4xf32>
    } else {
      %n = ov.negative %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield %n : tensor<1x4xf32>
    }
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<3x4xf32>
}
func.func @branch_with_a_product(%c: tensor<3xi1>, %x: tensor<3x4xf32>, %b: tensor<4x4xf32>) -> tensor<3x4xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: nothing that pays}}
  %all = ov.loop sliced(%c, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<3xi1>, tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%i: tensor<i64>, %d: tensor<1xi1>, %p: tensor<1x4xf32>):
    %taken = ov.squeeze %d, %axis : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    %r = ov.if %taken -> (tensor<1x4xf32>) {
      ov.yield %p : tensor<1x4xf32>
    } else {
      %m = ov.mat_mul %p, %b : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
      ov.yield %m : tensor<1x4xf32>
    }
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<3x4xf32>
}

// -----

// Of an input that may be too short all rows are gathered at once: one that is not there is an error as before.
// CHECK-LABEL: func.func @fails_at_once
// CHECK-NOT:   ov.loop
// CHECK:       ov.gather %x, %{{.*}} {out_of_range = "error"} : (tensor<?x4xf32>, tensor<9xi64>, tensor<i64>) -> tensor<9x4xf32>
func.func @fails_at_once(%x: tensor<?x4xf32>) -> tensor<9x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %nine = ov.constant dense<9> : tensor<i64> : tensor<i64>
  %first = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{done: ov.loop: 3 operations}}
  %all = ov.loop trip(%nine) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<9x4xf32> {
  ^bb0(%i: tensor<i64>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %t = ov.tanh %g : (tensor<4xf32>) -> tensor<4xf32>
    %r = ov.unsqueeze %t, %first : (tensor<4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<9x4xf32>
}

// -----

// Extents that may not fit are an error if there is an iteration. If there is none, and they do not fit, the result has those of its type.
// CHECK-LABEL: func.func @open_product
// CHECK-NOT:   ov.loop
// CHECK:       %[[RUNS:.*]] = ov.not_equal
// CHECK:       %[[FITS:.*]] = ov.equal
// CHECK-NEXT:  %[[SAFE:.*]] = ov.logical_or %[[RUNS]], %[[FITS]]
// CHECK-NEXT:  ov.if %[[SAFE]]
// CHECK:       ov.mat_mul
// CHECK:       } else {
// CHECK:       tensor<0x0xf32>
func.func @open_product(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x?xf32>):
    %e = ov.exp %p : (tensor<1x?xf32>) -> tensor<1x?xf32>
    %r = ov.mat_mul %e, %w : (tensor<1x?xf32>, tensor<?x?xf32>) -> tensor<1x?xf32>
    ov.next concat(%r : tensor<1x?xf32>)
  }
  func.return %all : tensor<?x?xf32>
}

// -----

// What a recurrence slices is there if there is an iteration. The number of elements of each part is checked, not only that of all.
// CHECK-LABEL: func.func @open_reshape
// CHECK:       %[[WHOLE:.*]] = ov.if %{{.*}} -> (tensor<?x?x4xf32>) {
// CHECK:       %[[SHAPE:.*]] = ov.concat %{{.*}}, %{{.*}} {axis = 0 : i64}
// CHECK:       ov.reshape %{{.*}}, %[[SHAPE]]
// CHECK:       ov.mat_mul
// CHECK:       } else {
// CHECK:       ov.loop carried(%a) sliced({{.*}}%[[WHOLE]])
func.func @open_reshape(%x: tensor<?x?xf32>, %w: tensor<?x3x4xf32>, %a: tensor<?x1x4xf32>) -> tensor<?x1x4xf32> {
  %shape = ov.constant dense<[1, 3]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{done: ov.loop: 2 operations}}
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<?x1x4xf32>, tensor<?x?xf32>) -> tensor<?x1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?x1x4xf32>, %p: tensor<1x?xf32>):
    %q = ov.reshape %p, %shape : (tensor<1x?xf32>, tensor<2xi64>) -> tensor<1x3xf32>
    %m = ov.mat_mul %q, %w : (tensor<1x3xf32>, tensor<?x3x4xf32>) -> tensor<?x1x4xf32>
    %s = ov.multiply %v, %m : (tensor<?x1x4xf32>, tensor<?x1x4xf32>) -> tensor<?x1x4xf32>
    %t = ov.tanh %s : (tensor<?x1x4xf32>) -> tensor<?x1x4xf32>
    ov.next carried(%t : tensor<?x1x4xf32>)
  }
  func.return %v_end : tensor<?x1x4xf32>
}

// -----

// Where two operations may fail, the extents of no iteration are those that the loop knows.
// CHECK-LABEL: func.func @two_risks
// CHECK:       ov.loop
func.func @two_risks(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark@+1 {{left: ov.loop: nothing that pays}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x?xf32>):
    %q = ov.mat_mul %p, %v : (tensor<1x?xf32>, tensor<?x?xf32>) -> tensor<1x?xf32>
    %r = ov.mat_mul %q, %w : (tensor<1x?xf32>, tensor<?x?xf32>) -> tensor<1x?xf32>
    ov.next concat(%r : tensor<1x?xf32>)
  }
  func.return %all : tensor<?x?xf32>
}

// -----

// Two extents that are broadcast fit if they are equal, or one is 1; a number fits to each.
// CHECK-LABEL: func.func @open_sum
// CHECK-NOT:   ov.loop
// CHECK-COUNT-3: ov.equal
// CHECK:       ov.if
func.func @open_sum(%x: tensor<?x?xf32>, %a: tensor<1x?xf32>) -> tensor<?x?xf32> {
  // expected-remark@+1 {{done: ov.loop: 3 operations}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x?xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.multiply %a, %number : (tensor<1x?xf32>, tensor<f32>) -> tensor<1x?xf32>
    %r = ov.add %p, %q : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
    ov.next concat(%r : tensor<1x?xf32>)
  }
  func.return %all : tensor<?x?xf32>
}

// -----

// A recurrence for each row is one for vectors of all rows. What does not vary is the same for each of them, or is repeated.
// CHECK-LABEL: func.func @rows_of_steps
// CHECK:       %[[STATES:.*]] = ov.broadcast %b, %{{.*}} -> tensor<10x1xf32>
// CHECK:       %[[LAST:.*]], %[[ALL:.*]] = ov.loop carried(%[[STATES]]) sliced(%{{.*}}) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<10x1xf32>, tensor<10x5x1xf32>) -> (tensor<10x1xf32>, tensor<10x5x1xf32>)
// CHECK-NOT:   ov.loop
// CHECK:       ov.multiply %{{.*}}, %{{.*}} : (tensor<10x1xf32>, tensor<10x1xf32>) -> tensor<10x1xf32>
// CHECK:       ov.add %{{.*}}, %b : (tensor<10x1xf32>, tensor<1x1xf32>) -> tensor<10x1xf32>
// CHECK-NOT:   ov.loop
// CHECK:       func.return
func.func @rows_of_steps(%x: tensor<10x5xf32>, %b: tensor<1x1xf32>) -> (tensor<10x5xf32>, tensor<10x1xf32>) {
  %one = ov.constant dense<[5, 1]> : tensor<2xi64> : tensor<2xi64>
  %back = ov.constant dense<[1, 5]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{done: ov.loop: 3 operations}}
  %all, %ends = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<10x5xf32>) -> (tensor<10x5xf32>, tensor<10x1xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<1x5xf32>):
    %column = ov.reshape %p, %one : (tensor<1x5xf32>, tensor<2xi64>) -> tensor<5x1xf32>
    // expected-remark@+1 {{left: ov.loop: nothing that pays}}
    %end, %states = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<5x1xf32>) -> (tensor<1x1xf32>, tensor<5x1xf32>) {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %u = ov.add %t, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %u : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>) concat(%w : tensor<1x1xf32>)
    }
    %row = ov.reshape %states, %back : (tensor<5x1xf32>, tensor<2xi64>) -> tensor<1x5xf32>
    ov.next concat(%row, %end : tensor<1x5xf32>, tensor<1x1xf32>)
  }
  func.return %all, %ends : tensor<10x5xf32>, tensor<10x1xf32>
}

// -----

// The number of steps may differ from row to row, and so may the step that a row is in.
// CHECK-LABEL: func.func @rows_of_different_steps
// CHECK:       ov.loop
// CHECK:       ov.loop
func.func @rows_of_different_steps(%n: tensor<10xi64>, %x: tensor<10x4xf32>) -> tensor<10x4xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: nothing that pays}}
  %all = ov.loop sliced(%n, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<10xi64>, tensor<10x4xf32>) -> tensor<10x4xf32> {
  ^bb0(%i: tensor<i64>, %k: tensor<1xi64>, %p: tensor<1x4xf32>):
    %trips = ov.squeeze %k, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    // expected-remark@+1 {{left: ov.loop: nothing that pays}}
    %end = ov.loop trip(%trips) carried(%p) : (tensor<i64>, tensor<1x4xf32>) -> tensor<1x4xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x4xf32>):
      %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.next carried(%w : tensor<1x4xf32>)
    }
    ov.next concat(%end : tensor<1x4xf32>)
  }
  func.return %all : tensor<10x4xf32>
}

// -----

// What is done along a dimension of one element is not done along the iterations.
// CHECK-LABEL: func.func @along_one_element
// CHECK-NOT:   ov.loop
// CHECK:       %[[APART:.*]] = ov.reshape %x, %{{.*}} -> tensor<5x1x4xf32>
// CHECK:       ov.reduce_max %[[APART]], %{{.*}} {keep_dims = true} : (tensor<5x1x4xf32>, tensor<1xi64>) -> tensor<5x1x4xf32>
func.func @along_one_element(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{done: ov.loop: 1 operations are done for all iterations at once}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<5x4xf32>) -> tensor<5x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %m = ov.reduce_max %p, %axes {keep_dims = true} : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    ov.next concat(%m : tensor<1x4xf32>)
  }
  func.return %all : tensor<5x4xf32>
}

// -----

// A tensor four times as large as what the loop slices would come to be for the recurrence.
// CHECK-LABEL: func.func @four_times_as_much
// CHECK:       ov.loop
// CHECK:       ov.mat_mul
func.func @four_times_as_much(%x: tensor<5x1xf32>, %w: tensor<1x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark@+1 {{left: ov.loop: whole tensors would take 16 bytes for each iteration, more than 2 times what it slices and joins}}
  %last = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<5x1xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x1xf32>):
    %q = ov.mat_mul %p, %w : (tensor<1x1xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.add %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %t = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%t : tensor<1x4xf32>)
  }
  func.return %last : tensor<1x4xf32>
}

// -----

// The branch keeps the loop, which carries nothing: what it reads of a product takes no whole tensor.
// CHECK-LABEL: func.func @kept_by_a_branch
// CHECK:       ov.loop
// CHECK:       ov.mat_mul
// CHECK:       ov.if
func.func @kept_by_a_branch(%x: tensor<5x4xf32>, %w: tensor<4x2xf32>, %y: tensor<4xf32>, %k: tensor<5x1xi64>) -> tensor<5x2xf32> {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{left: ov.loop: whole tensors would shorten no recurrence, and something keeps the loop}}
  %all = ov.loop sliced(%x, %k) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<5x4xf32>, tensor<5x1xi64>) -> tensor<5x2xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>, %at: tensor<1x1xi64>):
    %q = ov.mat_mul %p, %w : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
    %most = ov.reduce_max %q, %axes {keep_dims = false} : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<f32>
    %c = ov.greater %most, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %r = ov.if %c -> (tensor<1x2xf32>) {
      %g = ov.gather %y, %at, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1x1xi64>, tensor<i64>) -> tensor<1x1xf32>
      %h = ov.multiply %q, %g : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
      ov.yield %h : tensor<1x2xf32>
    } else {
      ov.yield %q : tensor<1x2xf32>
    }
    ov.next concat(%r : tensor<1x2xf32>)
  }
  func.return %all : tensor<5x2xf32>
}
