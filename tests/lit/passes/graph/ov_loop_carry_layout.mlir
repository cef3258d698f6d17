// RUN: loomir-opt %s -p ov-loop-carry-layout,canonicalize,cse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p 'ov-loop-carry-layout{grow=false},canonicalize,cse' --split-input-file | filecheck %s --check-prefix=SMALL
// RUN: loomir-opt %s -p 'ov-loop-carry-layout{max-bytes=400}' --remarks --split-input-file --verify-diagnostics -o /dev/null

// The value that is read behind the loop is changed back; after no trip it is what it was.
// CHECK-LABEL: func.func @transposed
// CHECK:       %[[FIRST:.*]] = ov.transpose %x, %[[ORDER:.*]] :
// CHECK-NEXT:  %[[R:.*]] = ov.loop trip(%n) carried(%[[FIRST]]) : (tensor<i64>, tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT:  ^{{.*}}(%i: tensor<i64>, %[[V:.*]]: tensor<16x8xf32>):
// CHECK-NEXT:    %w = ov.tanh %[[V]]
// CHECK-NEXT:    ov.next carried(%w : tensor<16x8xf32>)
// CHECK:       %[[BACK:.*]] = ov.transpose %[[R]], %[[ORDER]] :
// CHECK-NEXT:  func.return %[[BACK]]
func.func @transposed(%n: tensor<i64>, %x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{ov-loop-carry-layout: done: ov.loop: an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
    %t = ov.transpose %v, %order : (tensor<8x16xf32>, tensor<2xi64>) -> tensor<16x8xf32>
    %w = ov.tanh %t : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %u = ov.transpose %w, %order : (tensor<16x8xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    ov.next carried(%u : tensor<8x16xf32>)
  }
  func.return %r : tensor<8x16xf32>
}

// -----

// An order of three dimensions is undone by another one; an empty order reverses them. A condition may end the loop.
// CHECK-LABEL: func.func @orders
// CHECK:       ov.loop trip(%n) while(%c) carried(%{{.*}}) : (tensor<i64>, tensor<i1>, tensor<4x?x2xf32>)
// CHECK-NOT:   ov.transpose
// CHECK:       ov.next while(%d)
// CHECK:       ov.transpose
// CHECK-NEXT:  func.return
func.func @orders(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %there = ov.constant dense<[2, 0, 1]> : tensor<3xi64> : tensor<3xi64>
  %back = ov.constant dense<[1, 2, 0]> : tensor<3xi64> : tensor<3xi64>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %axes = ov.constant dense<[0, 1, 2]> : tensor<3xi64> : tensor<3xi64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?x2x4xf32>):
    %t = ov.transpose %v, %there : (tensor<?x2x4xf32>, tensor<3xi64>) -> tensor<4x?x2xf32>
    %w = ov.tanh %t : (tensor<4x?x2xf32>) -> tensor<4x?x2xf32>
    %s = ov.reduce_max %w, %axes : (tensor<4x?x2xf32>, tensor<3xi64>) -> tensor<f32>
    %d = ov.greater %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %u = ov.transpose %w, %back : (tensor<4x?x2xf32>, tensor<3xi64>) -> tensor<?x2x4xf32>
    ov.next while(%d) carried(%u : tensor<?x2x4xf32>)
  }
  func.return %r : tensor<?x2x4xf32>
}

// -----

// The same order twice does not give a tensor back.
// CHECK-LABEL: func.func @not_undone
// CHECK-COUNT-2: ov.transpose
// CHECK:       ov.next
// CHECK-NOT:   ov.transpose
func.func @not_undone(%n: tensor<i64>, %x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %order = ov.constant dense<[1, 2, 0]> : tensor<3xi64> : tensor<3xi64>
  // expected-remark@+1 {{left: ov.loop: no value pays to be carried or sliced in another layout}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4x4x4xf32>):
    %t = ov.transpose %v, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
    %w = ov.tanh %t : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %u = ov.transpose %w, %order : (tensor<4x4x4xf32>, tensor<3xi64>) -> tensor<4x4x4xf32>
    ov.next carried(%u : tensor<4x4x4xf32>)
  }
  func.return %r : tensor<4x4x4xf32>
}

// -----

// What else reads the value reads it changed back: one transpose instead of two. The next value is joined as it is, too.
// CHECK-LABEL: func.func @read_as_it_is
// CHECK:       ^{{.*}}(%i: tensor<i64>, %v: tensor<3x2xf32>):
// CHECK-NEXT:    %[[V:.*]] = ov.transpose %v,
// CHECK-NEXT:    %w = ov.tanh %v
// CHECK-NEXT:    ov.next carried(%w : tensor<3x2xf32>) last(%[[V]] : tensor<2x3xf32>)
// CHECK-LABEL: func.func @joined_as_it_is
// CHECK:       ^{{.*}}(%i: tensor<i64>, %v: tensor<3x2xf32>):
// CHECK-NEXT:    %w = ov.tanh %v
// CHECK-NEXT:    %u = ov.transpose %w,
// CHECK-NEXT:    ov.next carried(%w : tensor<3x2xf32>) concat(%u : tensor<2x3xf32>)
// CHECK-LABEL: func.func @as_many
// CHECK:         %t = ov.transpose %v,
// CHECK:         ov.next carried(%u : tensor<2x3xf32>) last(%v : tensor<2x3xf32>) concat(%u : tensor<2x3xf32>)
func.func @read_as_it_is(%n: tensor<i64>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 1 changes of layout less}}
  %r, %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x3xf32>):
    %t = ov.transpose %v, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %w = ov.tanh %t : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %u = ov.transpose %w, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    ov.next carried(%u : tensor<2x3xf32>) last(%v : tensor<2x3xf32>)
  }
  func.return %s : tensor<2x3xf32>
}
func.func @joined_as_it_is(%n: tensor<i64>, %x: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 1 changes of layout less}}
  %r, %s = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<?x3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x3xf32>):
    %t = ov.transpose %v, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %w = ov.tanh %t : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %u = ov.transpose %w, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    ov.next carried(%u : tensor<2x3xf32>) concat(%u : tensor<2x3xf32>)
  }
  func.return %s : tensor<?x3xf32>
}
func.func @as_many(%n: tensor<i64>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<?x3xf32>) {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r, %s, %q = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x3xf32>):
    %t = ov.transpose %v, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %w = ov.tanh %t : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %u = ov.transpose %w, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    ov.next carried(%u : tensor<2x3xf32>) last(%v : tensor<2x3xf32>) concat(%u : tensor<2x3xf32>)
  }
  func.return %s, %q : tensor<2x3xf32>, tensor<?x3xf32>
}

// -----

// Values that iterations hand on to each other are changed together; a constant initial value, and a next one from outside, too.
// CHECK-LABEL: func.func @handed_on
// CHECK:       %r, %q = ov.loop trip(%n) carried({{.*}}) : (tensor<i64>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK-NOT:   ov.transpose
// CHECK:       ov.next carried(%v, %s : tensor<3x2xf32>, tensor<3x2xf32>)
// SMALL-LABEL: func.func @from_outside
// SMALL:         ov.loop trip(%n) carried(%x)
// CHECK-LABEL: func.func @from_outside
// CHECK:       ov.loop
// CHECK-NOT:   ov.transpose
// CHECK:       func.return
func.func @handed_on(%n: tensor<i64>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %zeros = ov.constant dense<0.0> : tensor<2x3xf32> : tensor<2x3xf32>
  // expected-remark@+1 {{an iteration executes 3 changes of layout less}}
  %r, %q = ov.loop trip(%n) carried(%x, %zeros) : (tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<2x3xf32>, %v: tensor<2x3xf32>):
    %a = ov.transpose %u, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %b = ov.transpose %v, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %s = ov.add %a, %b : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %t = ov.transpose %s, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    ov.next carried(%v, %t : tensor<2x3xf32>, tensor<2x3xf32>)
  }
  func.return %r, %q : tensor<2x3xf32>, tensor<2x3xf32>
}
func.func @from_outside(%n: tensor<i64>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 1 changes of layout less}}
  %r, %q = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<2x3xf32>):
    %a = ov.transpose %u, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %t = ov.tanh %a : (tensor<3x2xf32>) -> tensor<3x2xf32>
    ov.next carried(%y : tensor<2x3xf32>) last(%t : tensor<3x2xf32>)
  }
  func.return %q : tensor<3x2xf32>
}

// -----

// A change that undoes another one gives the carried value back, which is read in its new layout.
// SMALL-LABEL: func.func @exchanged
// CHECK-LABEL: func.func @exchanged
// CHECK:       ^{{.*}}(%i: tensor<i64>, %u: tensor<3x2xf32>, %v: tensor<3x2xf32>):
// CHECK-NEXT:    %e = ov.exp %u
// CHECK-NEXT:    %f = ov.add %e, %v
// CHECK-NEXT:    ov.next carried(%f, %u : tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK-LABEL: func.func @swapped
// CHECK:       ov.loop
// CHECK-NOT:   ov.transpose
// CHECK:       ov.next carried(%v, %u : tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK-LABEL: func.func @turned
// CHECK:       ov.next carried(%t : tensor<3x3xf32>)
func.func @exchanged(%n: tensor<i64>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 4 changes of layout less}}
  %r, %q = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<2x3xf32>, %v: tensor<2x3xf32>):
    %a = ov.transpose %u, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %e = ov.exp %a : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %d = ov.transpose %v, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %f = ov.add %e, %d : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %b = ov.transpose %f, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    %c = ov.transpose %a, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    ov.next carried(%b, %c : tensor<2x3xf32>, tensor<2x3xf32>)
  }
  func.return %r, %q : tensor<2x3xf32>, tensor<2x3xf32>
}
func.func @swapped(%n: tensor<i64>, %x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r, %q = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<2x3xf32>, %v: tensor<3x2xf32>):
    %a = ov.transpose %u, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %b = ov.transpose %v, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    ov.next carried(%b, %a : tensor<2x3xf32>, tensor<3x2xf32>)
  }
  func.return %r, %q : tensor<2x3xf32>, tensor<3x2xf32>
}
func.func @turned(%n: tensor<i64>, %x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<3x3xf32>) -> tensor<3x3xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<3x3xf32>):
    %t = ov.transpose %v, %order : (tensor<3x3xf32>, tensor<2xi64>) -> tensor<3x3xf32>
    ov.next carried(%t : tensor<3x3xf32>)
  }
  func.return %r : tensor<3x3xf32>
}

// -----

// Reshapes between static shapes, by whatever operation; dimensions of extent 1 beside open ones.
// CHECK-LABEL: func.func @reshaped
// CHECK:       %[[FIRST:.*]] = ov.reshape %x, {{.*}} -> tensor<1x4x3xf32>
// CHECK-NEXT:  %[[R:.*]] = ov.loop trip(%n) carried(%[[FIRST]])
// CHECK:         %w = ov.tanh %v
// CHECK-NEXT:    ov.next carried(%w : tensor<1x4x3xf32>)
// CHECK:       ov.reshape %[[R]], {{.*}} -> tensor<12xf32>
// CHECK-LABEL: func.func @open
// CHECK:       %[[FIRST:.*]] = ov.unsqueeze %x
// CHECK-NEXT:  %[[R:.*]] = ov.loop trip(%n) carried(%[[FIRST]])
// CHECK-NEXT:  ^{{.*}}
// CHECK-NEXT:    %w = ov.tanh %v
// CHECK-NEXT:    ov.next carried(%w : tensor<1x?x1xf32>)
// CHECK:       ov.squeeze %[[R]]
// CHECK-LABEL: func.func @open_behind
// CHECK:       ov.loop trip(%n) carried(%{{.*}}) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:  ^{{.*}}
// CHECK-NEXT:    %w = ov.tanh %v
// CHECK-NEXT:    ov.next carried(%w : tensor<?xf32>)
func.func @reshaped(%n: tensor<i64>, %x: tensor<12xf32>) -> tensor<12xf32> {
  %shape = ov.constant dense<[4, 3]> : tensor<2xi64> : tensor<2xi64>
  %all = ov.constant dense<[-1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{an iteration executes 4 changes of layout less}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<12xf32>) -> tensor<12xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<12xf32>):
    %s = ov.reshape %v, %shape : (tensor<12xf32>, tensor<2xi64>) -> tensor<4x3xf32>
    %t = ov.unsqueeze %s, %axis : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<1x4x3xf32>
    %w = ov.tanh %t : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
    %q = ov.squeeze %w, %axis : (tensor<1x4x3xf32>, tensor<1xi64>) -> tensor<4x3xf32>
    %u = ov.reshape %q, %all : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<12xf32>
    ov.next carried(%u : tensor<12xf32>)
  }
  func.return %r : tensor<12xf32>
}
func.func @open(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %there = ov.constant dense<[-1, 0]> : tensor<2xi64> : tensor<2xi64>
  %back = ov.constant dense<[0, 2]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
    %t = ov.unsqueeze %v, %there : (tensor<?xf32>, tensor<2xi64>) -> tensor<1x?x1xf32>
    %w = ov.tanh %t : (tensor<1x?x1xf32>) -> tensor<1x?x1xf32>
    %u = ov.squeeze %w, %back : (tensor<1x?x1xf32>, tensor<2xi64>) -> tensor<?xf32>
    ov.next carried(%u : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}
func.func @open_behind(%n: tensor<i64>, %x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %axis = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?x1xf32>) -> tensor<?x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?x1xf32>):
    %t = ov.squeeze %v, %axis : (tensor<?x1xf32>, tensor<1xi64>) -> tensor<?xf32>
    %w = ov.tanh %t : (tensor<?xf32>) -> tensor<?xf32>
    %u = ov.unsqueeze %w, %axis : (tensor<?xf32>, tensor<1xi64>) -> tensor<?x1xf32>
    ov.next carried(%u : tensor<?x1xf32>)
  }
  func.return %r : tensor<?x1xf32>
}

// -----

// A reshape of open extents may stop the program, and a squeeze may keep a dimension.
// CHECK-LABEL: func.func @of_unknown_size
// CHECK:       ^{{.*}}
// CHECK-NEXT:    ov.reshape
// CHECK-LABEL: func.func @of_unknown_rank
// CHECK:       ^{{.*}}
// CHECK-NEXT:    ov.squeeze
func.func @of_unknown_size(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %shape = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  %all = ov.constant dense<6> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
    %t = ov.reshape %v, %shape : (tensor<?xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    %w = ov.tanh %t : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %u = ov.reshape %w, %all : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
    ov.next carried(%u : tensor<6xf32>)
  }
  func.return %r : tensor<?xf32>
}
func.func @of_unknown_rank(%n: tensor<i64>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %axis = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?x?xf32>):
    %t = ov.squeeze %v, %axis : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
    %w = ov.tanh %t : (tensor<?xf32>) -> tensor<?xf32>
    %u = ov.unsqueeze %w, %axis : (tensor<?xf32>, tensor<1xi64>) -> tensor<?x1xf32>
    ov.next carried(%u : tensor<?x1xf32>)
  }
  func.return %r : tensor<?x?xf32>
}

// -----

// A value is carried in a narrower type if its initial and next values are widened from it.
// CHECK-LABEL: func.func @narrow
// CHECK:       %[[R:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT:  ^{{.*}}
// CHECK-NEXT:    %w = ov.tanh %v : (tensor<4xf32>)
// CHECK-NEXT:    ov.next carried(%w : tensor<4xf32>)
// CHECK:       ov.convert %[[R]] {destination_type = f64}
// CHECK-LABEL: func.func @wide_at_first
// CHECK:       ov.next carried(%u : tensor<4xf64>)
// CHECK-LABEL: func.func @wide_at_next
// CHECK:       ov.next carried(%s : tensor<4xf64>)
// CHECK-LABEL: func.func @wide_from_outside
// CHECK:       ov.next carried(%y : tensor<4xf64>)
// CHECK-LABEL: func.func @rounded
// CHECK:       ov.next carried(%u : tensor<4xf16>)
func.func @narrow(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf64> {
  %wide = ov.convert %x {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<4xf64>) -> tensor<4xf32>
    %w = ov.tanh %t : (tensor<4xf32>) -> tensor<4xf32>
    %u = ov.convert %w {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
    ov.next carried(%u : tensor<4xf64>)
  }
  func.return %r : tensor<4xf64>
}
func.func @wide_at_first(%n: tensor<i64>, %x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<4xf64>) -> tensor<4xf32>
    %w = ov.tanh %t : (tensor<4xf32>) -> tensor<4xf32>
    %u = ov.convert %w {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
    ov.next carried(%u : tensor<4xf64>)
  }
  func.return %r : tensor<4xf64>
}
func.func @wide_at_next(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %wide = ov.convert %x {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<4xf64>) -> tensor<4xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<4xf64>) -> tensor<4xf32>
    %w = ov.tanh %t : (tensor<4xf32>) -> tensor<4xf32>
    %u = ov.convert %w {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
    %s = ov.add %u, %y : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    ov.next carried(%s : tensor<4xf64>)
  }
  func.return %r : tensor<4xf64>
}
func.func @wide_from_outside(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf32>) {
  %wide = ov.convert %x {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r, %q = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<4xf64>) -> tensor<4xf32>
    %w = ov.tanh %t : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%y : tensor<4xf64>) last(%w : tensor<4xf32>)
  }
  func.return %r, %q : tensor<4xf64>, tensor<4xf32>
}
func.func @rounded(%n: tensor<i64>, %x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf16>) -> tensor<4xf16> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf16>):
    %t = ov.convert %v {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    %w = ov.tanh %t : (tensor<4xf32>) -> tensor<4xf32>
    %u = ov.convert %w {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    ov.next carried(%u : tensor<4xf16>)
  }
  func.return %r : tensor<4xf16>
}

// -----

// What a nested loop is given changed, and gives changed back, the loop around it carries so.
// CHECK-LABEL: func.func @nested
// CHECK:       ov.transpose %x
// CHECK-NEXT:  ov.loop
// CHECK-NOT:   ov.transpose
// CHECK:       ov.loop
// CHECK-NOT:   ov.transpose
// CHECK:       ov.next
// CHECK-NOT:   ov.transpose
// CHECK:       ov.next
// CHECK:       ov.transpose
// CHECK-NEXT:  func.return
func.func @nested(%n: tensor<i64>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2x3xf32>):
    // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
    %q = ov.loop trip(%n) carried(%v) : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<2x3xf32>):
      %t = ov.transpose %u, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
      %w = ov.tanh %t : (tensor<3x2xf32>) -> tensor<3x2xf32>
      %s = ov.transpose %w, %order : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
      ov.next carried(%s : tensor<2x3xf32>)
    }
    ov.next carried(%q : tensor<2x3xf32>)
  }
  func.return %r : tensor<2x3xf32>
}

// -----

// An input of which every slice is transposed is transposed once, forwards or backwards; one input twice, too.
// CHECK-LABEL: func.func @slices
// CHECK:       %[[X:.*]] = ov.transpose %x, {{.*}} -> tensor<6x2xf32>
// CHECK-NEXT:  ov.loop sliced(%[[X]], %[[X]])
// CHECK-SAME:    slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>, #ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>]
// CHECK-NOT:   ov.transpose
// CHECK-LABEL: func.func @too_large
// CHECK:       %[[Y:.*]] = ov.transpose %y, {{.*}} -> tensor<13x8xf32>
// CHECK-NEXT:  ov.loop sliced(%all, %[[Y]])
// CHECK-LABEL: func.func @other_reader
// CHECK:       ov.loop sliced(%x)
func.func @slices(%x: tensor<2x6xf32>) -> tensor<6x2xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %all = ov.loop sliced(%x, %x) {slices = [#ov.slice<axis = -1, stride = 2, part_size = 2>, #ov.slice<axis = 1, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0>]} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<6x2xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<2x2xf32>, %q: tensor<2x2xf32>):
    %t = ov.transpose %p, %order : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    %u = ov.transpose %q, %order : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    %w = ov.add %t, %u : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.next concat(%w : tensor<2x2xf32>)
  }
  func.return %all : tensor<6x2xf32>
}
func.func @too_large(%y: tensor<8x13xf32>) -> tensor<13x8xf32> {
  %x = ov.constant dense<1.0> : tensor<8x13xf32> : tensor<8x13xf32>
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{an iteration executes 1 changes of layout less}}
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 0>]} : (tensor<8x13xf32>) -> tensor<13x8xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<8x1xf32>):
    %t = ov.transpose %p, %order : (tensor<8x1xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    %w = ov.exp %t : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ov.next concat(%w : tensor<1x8xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: a tensor changed before it would take 416 bytes, more than 400 of max-bytes are left}}
  %more = ov.loop sliced(%all, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 1>], concats = [#ov.slice<axis = 0>]} : (tensor<13x8xf32>, tensor<8x13xf32>) -> tensor<13x8xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x8xf32>, %q: tensor<8x1xf32>):
    %t = ov.transpose %q, %order : (tensor<8x1xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    %w = ov.add %t, %p : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    ov.next concat(%w : tensor<1x8xf32>)
  }
  func.return %more : tensor<13x8xf32>
}
func.func @other_reader(%x: tensor<2x6xf32>) -> (tensor<12x1xf32>, tensor<2x6xf32>) {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %all, %as_is = ov.loop sliced(%x) {slices = [#ov.slice<axis = 1, stride = 2, part_size = 2>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 1>]} : (tensor<2x6xf32>) -> (tensor<6x2xf32>, tensor<2x6xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2x2xf32>):
    %t = ov.transpose %p, %order : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    %w = ov.exp %p : (tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.next concat(%t, %w : tensor<2x2xf32>, tensor<2x2xf32>)
  }
  %shape = ov.constant dense<[12, 1]> : tensor<2xi64> : tensor<2xi64>
  %column = ov.reshape %all, %shape : (tensor<6x2xf32>, tensor<2xi64>) -> tensor<12x1xf32>
  func.return %column, %as_is : tensor<12x1xf32>, tensor<2x6xf32>
}

// -----

// Low bits of sums and products depend on no others: what comes from outside is narrowed once, constants at once.
// CHECK-LABEL: func.func @low_bits
// CHECK:       %[[A:.*]] = ov.convert %a {destination_type = i32}
// CHECK-NEXT:  ov.loop
// CHECK-NOT:   ov.convert
// CHECK:         %m = ov.multiply %v, %[[A]] : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    %s = ov.subtract %m, %{{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT:    ov.next carried(%s : tensor<4xi32>)
// CHECK-LABEL: func.func @extended
// CHECK:         %[[W:.*]] = ov.convert %p {destination_type = ui16} : (tensor<1xi8>) -> tensor<1xui16>
// CHECK-NEXT:    %s = ov.add %{{.*}}, %v
// CHECK-LABEL: func.func @high_bits
// CHECK:         ov.maximum %{{.*}}tensor<4xi64>)
// CHECK-LABEL: func.func @read_wide
// CHECK:         ov.next carried(%u : tensor<4xi32>) last(%s : tensor<4xi64>)
func.func @low_bits(%n: tensor<i64>, %x: tensor<4xi32>, %a: tensor<4xi64>) -> tensor<4xi32> {
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %far = ov.constant dense<4294967297> : tensor<i64> : tensor<i64>
    %t = ov.convert %v {destination_type = i64} : (tensor<4xi32>) -> tensor<4xi64>
    %m = ov.multiply %t, %a : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %s = ov.subtract %m, %far : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %u = ov.convert %s {destination_type = i32} : (tensor<4xi64>) -> tensor<4xi32>
    ov.next carried(%u : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}
func.func @extended(%n: tensor<i64>, %x: tensor<1xui16>, %y: tensor<5xi8>) -> tensor<1xui16> {
  // expected-remark@+1 {{an iteration executes 2 changes of layout less}}
  %r = ov.loop carried(%x) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1xui16>, tensor<5xi8>) -> tensor<1xui16> {
  ^bb0(%i: tensor<i64>, %v: tensor<1xui16>, %p: tensor<1xi8>):
    %t = ov.convert %v {destination_type = i64} : (tensor<1xui16>) -> tensor<1xi64>
    %q = ov.convert %p {destination_type = i64} : (tensor<1xi8>) -> tensor<1xi64>
    %s = ov.add %q, %t : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %m = ov.multiply %s, %t : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %u = ov.convert %m {destination_type = ui16} : (tensor<1xi64>) -> tensor<1xui16>
    ov.next carried(%u : tensor<1xui16>)
  }
  func.return %r : tensor<1xui16>
}
func.func @high_bits(%n: tensor<i64>, %x: tensor<4xi32>, %a: tensor<4xi64>) -> tensor<4xi32> {
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %t = ov.convert %v {destination_type = i64} : (tensor<4xi32>) -> tensor<4xi64>
    %m = ov.add %t, %a : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %s = ov.maximum %m, %a : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %u = ov.convert %s {destination_type = i32} : (tensor<4xi64>) -> tensor<4xi32>
    ov.next carried(%u : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}
func.func @read_wide(%n: tensor<i64>, %x: tensor<4xi32>, %a: tensor<4xi64>) -> (tensor<4xi32>, tensor<4xi64>) {
  // expected-remark@+1 {{left: ov.loop: no value pays}}
  %r, %q = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %t = ov.convert %v {destination_type = i64} : (tensor<4xi32>) -> tensor<4xi64>
    %s = ov.add %t, %a : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %u = ov.convert %s {destination_type = i32} : (tensor<4xi64>) -> tensor<4xi32>
    ov.next carried(%u : tensor<4xi32>) last(%s : tensor<4xi64>)
  }
  func.return %r, %q : tensor<4xi32>, tensor<4xi64>
}
