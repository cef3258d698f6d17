// RUN: loomir-opt %s -p 'ov-infer,O2{to=loops}' --split-input-file | filecheck %s

// The prefix sums of a carried array take its place: there is no second buffer. (`ov-loop-reductions` makes a cumulative sum of the scan.)
// CHECK-LABEL: func.func @sums_over_their_input(
// CHECK-SAME:  %a: memref<8xi32>{{.*}}, %[[R:[^ ,:)]+]]: memref<8xi32> {loomir.role = "output"}) {
// CHECK:       "memref.copy"(%a, %[[R]])
// CHECK-NEXT:  scf.for
// CHECK:         scf.for
// CHECK:           memref.store %{{.*}}, %[[R]][
// CHECK:         scf.for
// CHECK:           memref.load %[[R]][
// CHECK:           memref.store %{{.*}}, %[[R]][
// CHECK-NOT:     memref.store
// CHECK:       func.return
func.func @sums_over_their_input(%a: tensor<8xi32>, %c0: tensor<i32>) -> tensor<8xi32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %z = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xi32>):
    %f, %w = ov.loop carried(%c0) sliced(%v) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>) {
    ^bb0(%j: tensor<i64>, %k: tensor<i32>, %p: tensor<1xi32>):
      %q = ov.squeeze %p, %z : (tensor<1xi32>, tensor<1xi64>) -> tensor<i32>
      %k1 = ov.add %k, %q : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %o = ov.unsqueeze %k1, %z : (tensor<i32>, tensor<1xi64>) -> tensor<1xi32>
      ov.next carried(%k1 : tensor<i32>) concat(%o : tensor<1xi32>)
    }
    ov.next carried(%w : tensor<8xi32>)
  }
  func.return %r : tensor<8xi32>
}

// -----

// Two arrays, each of which gives place to what is computed of it. (Sums of floats stay in a loop.)
// CHECK-LABEL: func.func @two_over_their_inputs(
// CHECK-SAME:  %[[R:[^ ,:)]+]]: memref<64xf32> {loomir.role = "output"}, %[[S:[^ ,:)]+]]: memref<64xf32> {loomir.role = "output"}) {
// CHECK:       "memref.copy"(%a, %[[R]])
// CHECK-NEXT:  "memref.copy"(%b, %[[S]])
// CHECK-NEXT:  scf.for
// CHECK:         scf.for
// CHECK-NOT:   memref.copy
// CHECK:       func.return
func.func @two_over_their_inputs(%a: tensor<64xf32>, %b: tensor<64xf32>, %c0: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %n = ov.constant dense<64> : tensor<i64> : tensor<i64>
  %z = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r, %s = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>, %u: tensor<64xf32>):
    %f, %w, %x = ov.loop carried(%c0) sliced(%v, %u) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
    ^bb0(%j: tensor<i64>, %k: tensor<f32>, %p: tensor<1xf32>, %p2: tensor<1xf32>):
      %q = ov.squeeze %p, %z : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
      %q2 = ov.squeeze %p2, %z : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
      %k1 = ov.add %k, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %k2 = ov.multiply %k, %q2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %o = ov.unsqueeze %k1, %z : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
      %o2 = ov.unsqueeze %k2, %z : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
      ov.next carried(%k1 : tensor<f32>) concat(%o, %o2 : tensor<1xf32>, tensor<1xf32>)
    }
    ov.next carried(%w, %x : tensor<64xf32>, tensor<64xf32>)
  }
  func.return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// The sums go to a buffer from outside, and the array stays: each iteration computes the same, and one is left.
// CHECK-LABEL: func.func @over_a_buffer_from_outside(
// CHECK:       scf.for
// CHECK-NOT:     scf.for
// CHECK:         memref.store
// CHECK:       scf.for
// CHECK-NOT:     scf.for
// CHECK:         memref.store
// CHECK:       func.return
func.func @over_a_buffer_from_outside(%a: tensor<8xi32>, %c0: tensor<i32>) -> tensor<8xi32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %z = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zeros = ov.constant dense<0> : tensor<8xi32> : tensor<8xi32>
  %r, %s = ov.loop trip(%n) carried(%a, %zeros) : (tensor<i64>, tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<8xi32>, %u: tensor<8xi32>):
    %f, %w = ov.loop carried(%c0, %u) sliced(%v) {slices = [#ov.slice<axis = 0>]} : (tensor<i32>, tensor<8xi32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>) {
    ^bb0(%j: tensor<i64>, %k: tensor<i32>, %t: tensor<8xi32>, %p: tensor<1xi32>):
      %q = ov.squeeze %p, %z : (tensor<1xi32>, tensor<1xi64>) -> tensor<i32>
      %k1 = ov.add %k, %q : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %o = ov.unsqueeze %k1, %z : (tensor<i32>, tensor<1xi64>) -> tensor<1xi32>
      %j1 = ov.unsqueeze %j, %z : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
      %t1 = ov.scatter_update %t, %j1, %o, %zero : (tensor<8xi32>, tensor<1xi64>, tensor<1xi32>, tensor<i64>) -> tensor<8xi32>
      ov.next carried(%k1, %t1 : tensor<i32>, tensor<8xi32>)
    }
    ov.next carried(%v, %w : tensor<8xi32>, tensor<8xi32>)
  }
  func.return %s : tensor<8xi32>
}

// -----

// The sums of a diagonal have another shape than the matrix that is sliced: they have a buffer of their own.
// CHECK-LABEL: func.func @another_shape(
// CHECK-SAME:  %[[R:[^ ,:)]+]]: memref<64xf32> {loomir.role = "output"}) {
// CHECK:       scf.for
// CHECK:         %[[PART:.*]] = memref.subview %[[R]][
// CHECK:         memref.store %{{.*}}, %[[PART]][
// CHECK-NOT:   memref.store
// CHECK:       func.return
func.func @another_shape(%a: tensor<64x70xf32>, %c0: tensor<f32>) -> tensor<64xf32> {
  %z = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop carried(%c0) sliced(%a) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<f32>, tensor<64x70xf32>) -> (tensor<f32>, tensor<64xf32>) {
  ^bb0(%j: tensor<i64>, %k: tensor<f32>, %p: tensor<1x70xf32>):
    %j1 = ov.unsqueeze %j, %z : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %q1 = ov.gather %p, %j1, %one : (tensor<1x70xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x1xf32>
    %q = ov.squeeze %q1 : (tensor<1x1xf32>) -> tensor<f32>
    %k1 = ov.add %k, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %o = ov.unsqueeze %k1, %z : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    ov.next carried(%k1 : tensor<f32>) concat(%o : tensor<1xf32>)
  }
  func.return %s : tensor<64xf32>
}

// -----

// The first array is read at any place in each iteration, too: only the second one gives place to what is computed of it.
// CHECK-LABEL: func.func @input_that_is_read_otherwise(
// CHECK-SAME:  %[[R:[^ ,:)]+]]: memref<64xf32> {loomir.role = "output"}, %[[S:[^ ,:)]+]]: memref<64xf32> {loomir.role = "output"}, %arena: memref<256xi8>
// CHECK:       %[[OTHER:.*]] = memref.view %arena
// CHECK:       scf.for %{{.*}} iter_args(%[[V:.*]] = %[[R]], %[[NEXT:.*]] = %[[OTHER]])
// CHECK:         %[[OF:.*]] = memref.subview %[[NEXT]][
// CHECK:         memref.store %{{.*}}, %[[OF]][
// CHECK:         %[[IN:.*]] = memref.subview %[[S]][
// CHECK:         memref.store %{{.*}}, %[[IN]][
// CHECK:         scf.yield %[[NEXT]], %[[V]]
func.func @input_that_is_read_otherwise(%a: tensor<64xf32>, %b: tensor<64xf32>, %c0: tensor<f32>, %places: tensor<64xi64>) -> (tensor<64xf32>, tensor<64xf32>) {
  %n = ov.constant dense<64> : tensor<i64> : tensor<i64>
  %z = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>, %u: tensor<64xf32>):
    %f, %w, %x = ov.loop carried(%c0) sliced(%v, %u) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
    ^bb0(%j: tensor<i64>, %k: tensor<f32>, %p: tensor<1xf32>, %p2: tensor<1xf32>):
      %q = ov.squeeze %p, %z : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
      %q2 = ov.squeeze %p2, %z : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
      %place = ov.gather %places, %j, %zero : (tensor<64xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %q3 = ov.gather %v, %place, %zero : (tensor<64xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
      %k0 = ov.add %k, %q3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %k1 = ov.add %k0, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %k2 = ov.multiply %k, %q2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %o = ov.unsqueeze %k1, %z : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
      %o2 = ov.unsqueeze %k2, %z : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
      ov.next carried(%k1 : tensor<f32>) concat(%o, %o2 : tensor<1xf32>, tensor<1xf32>)
    }
    ov.next carried(%w, %x : tensor<64xf32>, tensor<64xf32>)
  }
  func.return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// Another array is sliced beside the carried one: that has no copy in an iteration.
// CHECK-LABEL: func.func @no_copy(
// CHECK-SAME:  %[[R:[^ ,:)]+]]: memref<8xi32> {loomir.role = "output"}
// CHECK:       "memref.copy"(%a, %[[R]])
// CHECK-NEXT:  scf.for %{{[^ ]*}} = %{{[^ ]*}} to %{{[^ ]*}} step %{{[^ ]*}} {
// CHECK-NOT:     memref.copy
// CHECK:         memref.load %[[R]][
// CHECK:         memref.store %{{.*}}, %[[R]][
// CHECK-NOT:     memref.copy
// CHECK:       func.return
func.func @no_copy(%a: tensor<8xi32>, %b: tensor<10xi32>, %c0: tensor<i32>) -> tensor<8xi32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %z = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xi32>):
    %f, %w = ov.loop carried(%c0) sliced(%v) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>) {
    ^bb0(%j: tensor<i64>, %k: tensor<i32>, %p: tensor<1xi32>):
      %q = ov.squeeze %p, %z : (tensor<1xi32>, tensor<1xi64>) -> tensor<i32>
      %y = ov.gather %b, %j, %zero : (tensor<10xi32>, tensor<i64>, tensor<i64>) -> tensor<i32>
      %k1 = ov.add %y, %q : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %k2 = ov.add %k1, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %o = ov.unsqueeze %k2, %z : (tensor<i32>, tensor<1xi64>) -> tensor<1xi32>
      ov.next carried(%k1 : tensor<i32>) concat(%o : tensor<1xi32>)
    }
    ov.next carried(%w : tensor<8xi32>)
  }
  func.return %r : tensor<8xi32>
}
