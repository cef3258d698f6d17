// RUN: loomir-opt %s -p ov-reroll --split-input-file | filecheck %s
// RUN: loomir-opt %s -p ov-reroll --split-input-file --remarks --verify-diagnostics -o /dev/null
// RUN: loomir-opt %s -p 'ov-reroll{min-trips=6}' | filecheck %s --check-prefix=LIMIT

// The constants of the steps are rows of a table. What is behind the steps reads a result of the last one that no step carries, too.
// CHECK-LABEL: func.func @steps
// CHECK:       %[[W:.*]] = ov.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<4x2xf32>
// CHECK-NEXT:  %[[N:.*]] = ov.constant dense<4> : tensor<i64>
// CHECK-NEXT:  %[[R:.*]], %[[P:.*]] = ov.loop trip(%[[N]]) carried(%x) sliced(%[[W]]) {slices = [#ov.slice<axis = 0>]}
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<2xf32>, %[[PART:.*]]: tensor<1x2xf32>):
// CHECK:         %[[OWN:.*]] = ov.reshape %[[PART]]
// CHECK-NEXT:    %[[U:.*]] = ov.tanh %[[V]]
// CHECK-NEXT:    %[[M:.*]] = ov.multiply %[[U]], %[[OWN]]
// CHECK-NEXT:    %[[S:.*]] = ov.add %[[M]], %b
// CHECK-NEXT:    ov.next carried(%[[S]] : tensor<2xf32>) last(%[[M]] : tensor<2xf32>)
// CHECK:       %[[T:.*]] = ov.tanh %[[R]]
// CHECK:       func.return %[[T]], %[[P]]
// LIMIT-LABEL: func.func @steps
// LIMIT-NOT:   ov.loop
// LIMIT:       func.func @read
func.func @steps(%x: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w0 = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %w1 = ov.constant dense<[3.0, 4.0]> : tensor<2xf32> : tensor<2xf32>
  %w2 = ov.constant dense<[5.0, 6.0]> : tensor<2xf32> : tensor<2xf32>
  %w3 = ov.constant dense<[7.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  // expected-remark@+1 {{ov-reroll: done: ov.loop: 4 steps are one loop}}
  %t = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  %m0 = ov.multiply %t, %w0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s0 = ov.add %m0, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t0 = ov.tanh %s0 : (tensor<2xf32>) -> tensor<2xf32>
  %m1 = ov.multiply %t0, %w1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s1 = ov.add %m1, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t1 = ov.tanh %s1 : (tensor<2xf32>) -> tensor<2xf32>
  %m2 = ov.multiply %t1, %w2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s2 = ov.add %m2, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t2 = ov.tanh %s2 : (tensor<2xf32>) -> tensor<2xf32>
  %m3 = ov.multiply %t2, %w3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s3 = ov.add %m3, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t3 = ov.tanh %s3 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %t3, %m3 : tensor<2xf32>, tensor<2xf32>
}

// -----

// A result of the second step is read behind the steps.
// CHECK-LABEL: func.func @read
// CHECK-NOT:   ov.loop
func.func @read(%x: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %m0 = ov.multiply %x, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t0 = ov.tanh %m0 : (tensor<2xf32>) -> tensor<2xf32>
  %m1 = ov.multiply %t0, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t1 = ov.tanh %m1 : (tensor<2xf32>) -> tensor<2xf32>
  %m2 = ov.multiply %t1, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t2 = ov.tanh %m2 : (tensor<2xf32>) -> tensor<2xf32>
  %m3 = ov.multiply %t2, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t3 = ov.tanh %m3 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %t3, %t1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// The third step reads the first one.
// CHECK-LABEL: func.func @before
// CHECK-NOT:   ov.loop
func.func @before(%x: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %m0 = ov.multiply %x, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t0 = ov.tanh %m0 : (tensor<2xf32>) -> tensor<2xf32>
  %m1 = ov.multiply %t0, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t1 = ov.tanh %m1 : (tensor<2xf32>) -> tensor<2xf32>
  %m2 = ov.multiply %t0, %t1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t2 = ov.tanh %m2 : (tensor<2xf32>) -> tensor<2xf32>
  %m3 = ov.multiply %t2, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t3 = ov.tanh %m3 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %t3 : tensor<2xf32>
}

// -----

// Two chains beside each other in the body of a loop, of other initial values: one loop in it carries both.
// CHECK-LABEL: func.func @pair
// CHECK:       ov.loop trip(%n)
// CHECK:         %{{.*}}, %{{.*}} = ov.loop trip(%{{.*}}) carried(%{{.*}}, %{{.*}})
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<f32>, %[[U:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[A:.*]] = ov.tanh %[[V]]
// CHECK-NEXT:      %[[B:.*]] = ov.multiply %[[U]], %[[A]]
// CHECK-NEXT:      ov.next carried(%[[A]], %[[B]]
func.func @pair(%n: tensor<i64>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %u: tensor<f32>):
    // expected-remark@+1 {{ov-reroll: done: ov.loop: 4 steps are one loop}}
    %a0 = ov.tanh %v : (tensor<f32>) -> tensor<f32>
    %b0 = ov.multiply %u, %a0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %a1 = ov.tanh %a0 : (tensor<f32>) -> tensor<f32>
    %b1 = ov.multiply %b0, %a1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %a2 = ov.tanh %a1 : (tensor<f32>) -> tensor<f32>
    %b2 = ov.multiply %b1, %a2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %a3 = ov.tanh %a2 : (tensor<f32>) -> tensor<f32>
    %b3 = ov.multiply %b2, %a3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%a3, %b3 : tensor<f32>, tensor<f32>)
  }
  func.return %r, %s : tensor<f32>, tensor<f32>
}
