// RUN: loomir-opt %s -p 'ov-infer,ov-loop-carry-joined,canonicalize' --remarks --remarks-filter=carry-joined --split-input-file --verify-diagnostics | filecheck %s

// Three single numbers, of a loop that a condition ends.
// CHECK-LABEL: func.func @numbers(
// CHECK:       %[[FIRST:.*]] = ov.concat {{.*}} {axis = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
// CHECK:       %[[ALL:.*]] = ov.loop carried(%[[FIRST]])
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<3xf32>):
// CHECK-NEXT:    %[[E:.*]] = ov.exp %[[V]]
// CHECK-NEXT:    %[[S:.*]] = ov.reduce_sum %[[E]]
// CHECK-NEXT:    %[[W:.*]] = ov.multiply %[[V]], %[[S]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT:    %[[GO:.*]] = ov.less %[[S]], %end
// CHECK-NEXT:    ov.next while(%[[GO]]) carried(%[[W]] : tensor<3xf32>)
// CHECK:       ov.slice %[[ALL]]
func.func @numbers(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %end: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-joined: done: ov.loop: carries what it joins as one tensor}}
  %r, %s, %t = ov.loop carried(%x, %y, %z) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    %a1 = ov.unsqueeze %a, %zero : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    %b1 = ov.unsqueeze %b, %zero : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    %c1 = ov.unsqueeze %c, %zero : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    %p = ov.concat %a1, %b1, %c1 {axis = -1} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %e = ov.exp %p : (tensor<3xf32>) -> tensor<3xf32>
    %q = ov.reduce_sum %e, %zero {keep_dims = false} : (tensor<3xf32>, tensor<1xi64>) -> tensor<f32>
    %a2 = ov.multiply %a, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b2 = ov.multiply %b, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %c2 = ov.multiply %c, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %q, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%a2, %b2, %c2 : tensor<f32>, tensor<f32>, tensor<f32>)
  }
  func.return %r, %t : tensor<f32>, tensor<f32>
}

// -----

// The parts are one behind the other along the second axis, too; slices take them apart, and the pair changes places with another one.
// CHECK-LABEL: func.func @second_axis(
// CHECK:       ov.loop trip(%n) carried(%{{.*}}, %{{.*}}) : (tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<2x3xf32>, %[[U:.*]]: tensor<2x3xf32>):
// CHECK-NOT:     ov.concat
// CHECK:         %[[Q:.*]] = ov.mat_mul
// CHECK:         %[[W:.*]] = ov.reshape %[[Q]]
// CHECK:         ov.next carried(%[[U]], %[[W]]
func.func @second_axis(%n: tensor<i64>, %x: tensor<1x3xf32>, %y: tensor<1x3xf32>, %m: tensor<6x6xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<1xi64> : tensor<1xi64>
  %six = ov.constant dense<6> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-joined: done: ov.loop: carries what it joins as one tensor}}
  %r:4 = ov.loop trip(%n) carried(%x, %y, %y, %x) : (tensor<i64>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<1x3xf32>, %b: tensor<1x3xf32>, %c: tensor<1x3xf32>, %d: tensor<1x3xf32>):
    %p = ov.concat %a, %b {axis = 1} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x6xf32>
    %q = ov.mat_mul %p, %m {transpose_a = false, transpose_b = false} : (tensor<1x6xf32>, tensor<6x6xf32>) -> tensor<1x6xf32>
    %a1 = ov.slice %q, %zero, %three, %one, %one : (tensor<1x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3xf32>
    %b1 = ov.slice %q, %three, %six, %one, %one : (tensor<1x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3xf32>
    ov.next carried(%c, %d, %a1, %b1 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
}

// -----

// Near misses: the parts are not one behind the other;
// CHECK-LABEL: func.func @interleaved(
// CHECK:         ov.concat %a, %b
func.func @interleaved(%n: tensor<i64>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: it joins no values that an iteration computes, or runs two iterations at most}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
    %p = ov.concat %a, %b {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    %q = ov.exp %p : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %a1, %b1 = ov.split %q, %axis {num_splits = 2} : (tensor<2x6xf32>, tensor<i64>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    ov.next carried(%a1, %b1 : tensor<2x3xf32>, tensor<2x3xf32>)
  }
  func.return %r, %s : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// something else reads one of them; they are computed by other operations; an operation may stop the program.
// CHECK-LABEL: func.func @read_alone(
// CHECK:         ov.concat %a, %b
// CHECK-LABEL: func.func @computed_otherwise(
// CHECK:         ov.concat %a, %b
// CHECK-LABEL: func.func @may_fail(
// CHECK:         ov.concat %a, %b
func.func @read_alone(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>, %m: tensor<4x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: what it joins is not carried, or its parts are not computed alike}}
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %p = ov.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %q = ov.mat_mul %p, %m {transpose_a = false, transpose_b = false} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %a1, %b1 = ov.split %q, %axis {num_splits = 2} : (tensor<4xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
    %e = ov.exp %b : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%a1, %b1 : tensor<2xf32>, tensor<2xf32>) concat(%e : tensor<2xf32>)
  }
  func.return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<?xf32>
}
func.func @computed_otherwise(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>, %m: tensor<4x4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: what it joins is not carried, or its parts are not computed alike}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %p = ov.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %q = ov.mat_mul %p, %m {transpose_a = false, transpose_b = false} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %a1, %b1 = ov.split %q, %axis {num_splits = 2} : (tensor<4xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
    %a2 = ov.tanh %a1 : (tensor<2xf32>) -> tensor<2xf32>
    %b2 = ov.exp %b1 : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%a2, %b2 : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<2xf32>
}
func.func @may_fail(%n: tensor<i64>, %x: tensor<2xi32>, %y: tensor<2xi32>, %d: tensor<9xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: what it joins is not carried, or its parts are not computed alike}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xi32>, %b: tensor<2xi32>):
    %p = ov.concat %a, %b {axis = 0} : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
    %q = ov.cum_sum %p, %axis {exclusive = false, reverse = false} : (tensor<4xi32>, tensor<i64>) -> tensor<4xi32>
    %a1, %b1 = ov.split %q, %axis {num_splits = 2} : (tensor<4xi32>, tensor<i64>) -> (tensor<2xi32>, tensor<2xi32>)
    %a2 = ov.gather %d, %a1, %axis {out_of_range = "error"} : (tensor<9xi32>, tensor<2xi32>, tensor<i64>) -> tensor<2xi32>
    %b2 = ov.gather %d, %b1, %axis {out_of_range = "error"} : (tensor<9xi32>, tensor<2xi32>, tensor<i64>) -> tensor<2xi32>
    ov.next carried(%a2, %b2 : tensor<2xi32>, tensor<2xi32>)
  }
  func.return %r, %s : tensor<2xi32>, tensor<2xi32>
}

// -----

// Near miss: slices take the parts in another order.
// CHECK-LABEL: func.func @another_order(
// CHECK:         ov.concat %a, %b
func.func @another_order(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>, %m: tensor<4x4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  %four = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: what it joins is not carried, or its parts are not computed alike}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %p = ov.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %q = ov.mat_mul %p, %m {transpose_a = false, transpose_b = false} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %a1 = ov.slice %q, %two, %four, %one, %zero : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    %b1 = ov.slice %q, %zero, %two, %one, %zero : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    ov.next carried(%a1, %b1 : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<2xf32>
}

// -----

// Two iterations join no more often than the program around the loop would; and a large tensor has no room.
// CHECK-LABEL: func.func @two_iterations(
// CHECK:         ov.concat %a, %b
// CHECK-LABEL: func.func @large(
// CHECK:         ov.concat %a, %b
func.func @two_iterations(%x: tensor<2xf32>, %y: tensor<2xf32>, %m: tensor<4x4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: it joins no values that an iteration computes, or runs two iterations at most}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %p = ov.concat %a, %b {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %q = ov.mat_mul %p, %m {transpose_a = false, transpose_b = false} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %a1, %b1 = ov.split %q, %axis {num_splits = 2} : (tensor<4xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
    ov.next carried(%a1, %b1 : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r, %s : tensor<2xf32>, tensor<2xf32>
}
func.func @large(%n: tensor<i64>, %x: tensor<5000xf64>, %y: tensor<5000xf64>) -> (tensor<5000xf64>, tensor<5000xf64>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-carry-joined: left: ov.loop: the joined tensors would take 80000 bytes, more than 65536 of max-bytes are left}}
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<5000xf64>, tensor<5000xf64>) -> (tensor<5000xf64>, tensor<5000xf64>) {
  ^bb0(%i: tensor<i64>, %a: tensor<5000xf64>, %b: tensor<5000xf64>):
    %p = ov.concat %a, %b {axis = 0} : (tensor<5000xf64>, tensor<5000xf64>) -> tensor<10000xf64>
    %q = ov.cum_sum %p, %axis {exclusive = false, reverse = false} : (tensor<10000xf64>, tensor<i64>) -> tensor<10000xf64>
    %a1, %b1 = ov.split %q, %axis {num_splits = 2} : (tensor<10000xf64>, tensor<i64>) -> (tensor<5000xf64>, tensor<5000xf64>)
    ov.next carried(%a1, %b1 : tensor<5000xf64>, tensor<5000xf64>)
  }
  func.return %r, %s : tensor<5000xf64>, tensor<5000xf64>
}
