// RUN: loomir-opt %s -p ov-loop-fuse --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-loop-fuse --remarks --split-input-file --verify-diagnostics -o /dev/null

// One trip count, which may be 0 or negative. What is between them and is needed by the second one moves before the first one; the rest
// stays behind it.
// CHECK-LABEL: func.func @one_trip_count
// CHECK-NEXT:  %c = ov.exp %b
// CHECK-NEXT:  %r, %s, %[[LAST:.*]], %[[ALL:.*]] = ov.loop trip(%n) carried(%x, %c)
// CHECK-NEXT:  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
// CHECK-NEXT:    %p = ov.tanh %v
// CHECK-NEXT:    %[[I:.*]] = ov.convert %i
// CHECK-NEXT:    %[[D:.*]] = ov.subtract %b, %u
// CHECK-NEXT:    %[[Q:.*]] = ov.multiply %[[D]], %[[I]]
// CHECK-NEXT:    %[[T:.*]] = ov.tanh %[[Q]]
// CHECK-NEXT:    ov.next carried(%p, %[[T]] : tensor<4xf32>, tensor<4xf32>) last(%p : tensor<4xf32>) concat(%[[Q]] : tensor<4xf32>)
// CHECK-NEXT:  }
// CHECK-NEXT:  %d = ov.abs %r
// CHECK-NEXT:  func.return %d, %[[LAST]], %s, %[[ALL]]
func.func @one_trip_count(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>) {
  // expected-remark@+2 {{left: ov.loop: no earlier loop of its block runs as often, or joins what it slices}}
  // expected-remark@+1 {{done: ov.loop: fused two loops: they run equally often}}
  %r, %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %p = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%p : tensor<4xf32>) last(%p : tensor<4xf32>)
  }
  %d = ov.abs %r : (tensor<4xf32>) -> tensor<4xf32>
  %c = ov.exp %b : (tensor<4xf32>) -> tensor<4xf32>
  %s, %all = ov.loop trip(%n) carried(%c) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
    %number = ov.convert %j {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %p = ov.subtract %b, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = ov.multiply %p, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %q = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%q : tensor<4xf32>) concat(%m : tensor<4xf32>)
  }
  func.return %d, %l, %s, %all : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>
}

// -----

// Equal extents: one of rows, the other one backwards of pairs on the last axis. A third loop has their number as its trip count, and more
// slices than that.
// CHECK-LABEL: func.func @equal_numbers
// CHECK:       ov.constant dense<8>
// CHECK:       ov.loop trip(%{{.*}}) carried(%a, %a, %a) sliced(%x, %y, %z)
// CHECK-NOT:   ov.loop
func.func @equal_numbers(%x: tensor<8x4xf32>, %y: tensor<4x16xf32>, %z: tensor<9x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %axis = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  // expected-remark@+2 3 {{ov.loop}}
  %eight = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = -1, start = -1, end = 0, stride = -2, part_size = 2>]} : (tensor<1x4xf32>, tensor<4x16xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<4x2xf32>):
    %m = ov.reduce_max %p, %axis {keep_dims = false} : (tensor<4x2xf32>, tensor<1xi64>) -> tensor<4xf32>
    %q = ov.multiply %v, %m : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %t = ov.loop trip(%eight) carried(%a) sliced(%z) {slices = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>, tensor<9x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %s, %t : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// Open extents: of one value, and of elementwise functions of it whose other operands are the same for all rows. Another value may have
// fewer rows.
// CHECK-LABEL: func.func @open_extents
// CHECK:       ov.loop carried(%a, %a) sliced(%x, %m)
// CHECK:       ov.loop carried(%a) sliced(%y)
func.func @open_extents(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %b: tensor<4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %e = ov.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = ov.multiply %b, %e : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark@+2 {{left: ov.loop: no earlier loop of its block runs as often, or joins what it slices}}
  // expected-remark@+1 {{done: ov.loop: fused two loops: they run equally often}}
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: no earlier loop of its block runs as often, or joins what it slices}}
  %s = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.sin %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %t = ov.loop carried(%a) sliced(%m) {slices = [#ov.slice<axis = -2>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.cos %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %s, %t : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// A map, a sum and a product of matrices each stay a loop of their own.
// CHECK-LABEL: func.func @other_loops
// CHECK-COUNT-4: ov.loop
func.func @other_loops(%n: tensor<i64>, %x: tensor<8x4xf32>, %a: tensor<1x4xf32>, %m: tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  // expected-remark@+1 {{left: ov.loop: no earlier loop}}
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %q : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: a recurrence has a matrix product, which takes longer than the loop}}
  %u = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %q = ov.mat_mul %v, %m : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %s = ov.add %q, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.tanh %s : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: a recurrence has a matrix product, which takes longer than the loop}}
  %s = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.tanh %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  // expected-remark@+1 {{left: ov.loop: one of the two loops may be computed without a loop}}
  %t = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %s, %t, %u : tensor<1x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// Each reads what the one before it ends with, inside of its body or through an operation. The loop in the arm of a branch is in another
// block; the two inner loops of one body are one.
// CHECK-LABEL: func.func @one_needs_the_other
// CHECK-COUNT-2: ov.loop trip(%n)
// CHECK:         ov.if
// CHECK:           ov.loop trip(%n)
// CHECK:             ov.loop trip(%m) carried(%{{.*}}, %{{.*}})
// CHECK-NOT:         ov.loop
// CHECK:           ov.yield
func.func @one_needs_the_other(%n: tensor<i64>, %m: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark@+1 {{no earlier loop}}
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  %e = ov.exp %r : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{left: ov.loop: it depends on the first loop in another way}}
  %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %d = ov.subtract %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.tanh %d : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  %t = ov.if %c -> (tensor<4xf32>) {
    // expected-remark@+1 {{no earlier loop}}
    %u = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      // expected-remark@+2 {{no earlier loop}}
      // expected-remark@+1 {{done: ov.loop: fused two loops: they run equally often}}
      %k = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%j: tensor<i64>, %a: tensor<4xf32>):
        %w = ov.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
        ov.next carried(%w : tensor<4xf32>)
      }
      %l = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%j: tensor<i64>, %a: tensor<4xf32>):
        %w = ov.sin %a : (tensor<4xf32>) -> tensor<4xf32>
        ov.next carried(%w : tensor<4xf32>)
      }
      %d = ov.add %k, %l : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%d : tensor<4xf32>)
    }
    ov.yield %u : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  func.return %s, %t : tensor<4xf32>, tensor<4xf32>
}
