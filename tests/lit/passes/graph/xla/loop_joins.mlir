// RUN: loomir-opt %s -p 'ov-infer,ov-loop-carry-joined,canonicalize,cse' --split-input-file | filecheck %s

// Two values that the body joins and takes apart are carried as one, also if a part is read otherwise.
// CHECK-LABEL: func.func @joined_and_taken_apart(
// CHECK:       %[[P:.*]] = ov.concat %x, %y
// CHECK:       %[[R:.*]], %[[B:.*]] = ov.loop trip(%n) carried(%[[P]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<4x4xf32>):
// CHECK-NEXT:    ov.mat_mul %[[V]]
// CHECK-NOT:     ov.concat
// CHECK:         %[[W:.*]] = ov.add %{{.*}}, %c : (tensor<2x2x4xf32>
// CHECK:         %[[N:.*]] = ov.reshape %[[W]]
// CHECK:         ov.next carried(%[[N]] : tensor<4x4xf32>) concat(%b :
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[R]]
func.func @joined_and_taken_apart(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %w: tensor<4x4xf32>, %c: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<10x4xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r:3 = ov.loop trip(%n) carried(%x, %y) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<10x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>):
    %p = ov.concat %v, %u {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %q = ov.mat_mul %p, %w {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %a, %b = ov.split %q, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %v1 = ov.add %a, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %u1 = ov.add %b, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next carried(%v1, %u1 : tensor<2x4xf32>, tensor<2x4xf32>) concat(%b : tensor<2x4xf32>)
  }
  func.return %r#0, %r#1, %r#2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<10x4xf32>
}

// -----

// Two further values that are added to the parts are carried joined, too.
// CHECK-LABEL: func.func @added_to_the_parts(
// CHECK:       %[[P:.*]] = ov.concat %x, %y
// CHECK:       %[[O:.*]] = ov.concat %z, %t
// CHECK:       %[[R:.*]], %[[S:.*]] = ov.loop trip(%n) carried(%[[P]], %[[O]])
// CHECK-NOT:     ov.concat
// CHECK-NOT:     ov.split
// CHECK:         ov.next carried(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[S]]
// CHECK:       ov.slice %[[S]]
func.func @added_to_the_parts(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %z: tensor<2x4xf32>, %t: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r:4 = ov.loop trip(%n) carried(%x, %y, %z, %t) : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>, %g: tensor<2x4xf32>, %h: tensor<2x4xf32>):
    %p = ov.concat %v, %u {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %q = ov.mat_mul %p, %w {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %a, %b = ov.split %q, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %v1 = ov.add %a, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %u1 = ov.add %b, %h : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %g1 = ov.add %g, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %h1 = ov.add %h, %h : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next carried(%v1, %u1, %g1, %h1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Two such pairs, each computed of both,
// CHECK-LABEL: func.func @pairs_of_each_other(
// CHECK:       %[[P:.*]] = ov.concat %x, %y
// CHECK:       %[[O:.*]] = ov.concat %z, %t
// CHECK:       %[[R:.*]], %[[S:.*]] = ov.loop trip(%n) carried(%[[P]], %[[O]])
// CHECK-NOT:     ov.concat
// CHECK-NOT:     ov.split
// CHECK:         ov.next carried(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[S]]
// CHECK:       ov.slice %[[S]]
func.func @pairs_of_each_other(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %z: tensor<2x4xf32>, %t: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r:4 = ov.loop trip(%n) carried(%x, %y, %z, %t) : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>, %g: tensor<2x4xf32>, %h: tensor<2x4xf32>):
    %p = ov.concat %v, %u {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %q = ov.mat_mul %p, %w {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %a, %b = ov.split %q, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %o = ov.concat %g, %h {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %l = ov.mat_mul %o, %w {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %e, %f = ov.split %l, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %v1 = ov.add %a, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %u1 = ov.add %b, %f : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %g1 = ov.subtract %a, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %h1 = ov.subtract %b, %f : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next carried(%v1, %u1, %g1, %h1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// also if one stays, since its parts add those of the other in another order.
// CHECK-LABEL: func.func @pairs_in_two_orders(
// CHECK:       %[[O:.*]] = ov.concat %z, %t
// CHECK:       %{{.*}}, %{{.*}}, %[[S:.*]] = ov.loop trip(%n) carried(%x, %y, %[[O]])
// CHECK:         ov.concat %v, %u
// CHECK-NOT:     ov.concat
// CHECK:         ov.next carried(%v1, %u1, %{{.*}} : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>)
// CHECK:       ov.slice %[[S]]
// CHECK:       ov.slice %[[S]]
func.func @pairs_in_two_orders(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %z: tensor<2x4xf32>, %t: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r:4 = ov.loop trip(%n) carried(%x, %y, %z, %t) : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>, %g: tensor<2x4xf32>, %h: tensor<2x4xf32>):
    %p = ov.concat %v, %u {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %q = ov.mat_mul %p, %w {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %a, %b = ov.split %q, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %o = ov.concat %g, %h {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %l = ov.mat_mul %o, %w {transpose_a = false, transpose_b = false} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %e, %f = ov.split %l, %axis {num_splits = 2} : (tensor<4x4xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    %v1 = ov.add %a, %f : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %u1 = ov.add %b, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %g1 = ov.subtract %a, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %h1 = ov.subtract %b, %f : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next carried(%v1, %u1, %g1, %h1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// The same through reshapes, sums along axes, and broadcasts: three pairs.
// CHECK-LABEL: func.func @through_sums_and_broadcasts(
// CHECK:       %[[P:.*]] = ov.concat %x, %y
// CHECK:       %[[O:.*]] = ov.concat %s, %t
// CHECK:       %[[D:.*]] = ov.concat %d, %e
// CHECK:       %[[R:.*]], %[[S:.*]], %[[T:.*]] = ov.loop trip(%n) carried(%[[P]], %[[O]], %[[D]])
// CHECK-NOT:     ov.concat
// CHECK:         ov.reduce_sum %{{.*}} : (tensor<2x1x2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
// CHECK-NOT:     ov.split
// CHECK:         ov.next carried(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<8xf32>, tensor<2xf32>)
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[R]]
// CHECK:       ov.slice %[[S]]
// CHECK:       ov.slice %[[S]]
// CHECK:       ov.slice %[[T]]
// CHECK:       ov.slice %[[T]]
func.func @through_sums_and_broadcasts(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>, %d: tensor<1xf32>, %e: tensor<1xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %both = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %r:6 = ov.loop trip(%n) carried(%x, %y, %s, %t, %d, %e) : (tensor<i64>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xf32>, %u: tensor<2x4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %j: tensor<1xf32>, %k: tensor<1xf32>):
    %v0 = ov.unsqueeze %v, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    %u0 = ov.unsqueeze %u, %zero : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x2x4xf32>
    %p = ov.concat %v0, %u0 {axis = 0} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<2x2x4xf32>
    %q = ov.mat_mul %p, %w {transpose_a = false, transpose_b = false} : (tensor<2x2x4xf32>, tensor<4x4xf32>) -> tensor<2x2x4xf32>
    %a0, %b0 = ov.split %q, %axis {num_splits = 2} : (tensor<2x2x4xf32>, tensor<i64>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>)
    %a = ov.squeeze %a0, %zero : (tensor<1x2x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
    %b = ov.squeeze %b0, %zero : (tensor<1x2x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
    %sum1 = ov.reduce_sum %v0, %both {keep_dims = false} : (tensor<1x2x4xf32>, tensor<2xi64>) -> tensor<4xf32>
    %sum2 = ov.reduce_sum %u0, %both {keep_dims = false} : (tensor<1x2x4xf32>, tensor<2xi64>) -> tensor<4xf32>
    %g1 = ov.add %sum1, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %h1 = ov.add %sum2, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %v1 = ov.subtract %a, %g1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %u1 = ov.subtract %b, %h1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %j0 = ov.squeeze %j, %zero : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
    %k0 = ov.squeeze %k, %zero : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
    %g2 = ov.add %g1, %j0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %h2 = ov.add %h1, %k0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %j1 = ov.add %j0, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k1 = ov.add %k0, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %j2 = ov.unsqueeze %j1, %zero : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    %k2 = ov.unsqueeze %k1, %zero : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    ov.next carried(%v1, %u1, %g2, %h2, %j2, %k2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>
}
