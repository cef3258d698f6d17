// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-merge-values,ov-fold-constants,canonicalize,cse' | filecheck %s

// Two counters, one up and one down, are functions of the iteration number, and behind the loop of the trips; a value made of both is carried.
// CHECK-LABEL: func.func @two_counters(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<10>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<100>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[D:.*]], %[[E:.*]] = ov.loop carried(%[[C]])
// CHECK-NEXT: ^bb0(%[[F:.*]]: tensor<i64>, %[[G:.*]]: tensor<i64>):
// CHECK-NEXT:   %[[H:.*]] = ov.constant dense<-1>
// CHECK-NEXT:   %[[I:.*]] = ov.multiply %[[F]], %[[H]]
// CHECK-NEXT:   %[[J:.*]] = ov.add %[[B]], %[[I]]
// CHECK-NEXT:   %[[K:.*]] = ov.add %[[A]], %[[F]]
// CHECK-NEXT:   %[[L:.*]] = ov.multiply %[[K]], %[[J]]
// CHECK-NEXT:   %[[M:.*]] = ov.less %[[L]], %most
// CHECK-NEXT:   %[[N:.*]] = ov.constant dense<1>
// CHECK-NEXT:   %[[O:.*]] = ov.add %[[F]], %[[N]]
// CHECK-NEXT:   ov.next while(%[[M]]) carried(%[[L]] {{[^)]*}}) last(%[[O]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:.*]] = ov.constant dense<-1>
// CHECK-NEXT: %[[Q:.*]] = ov.multiply %[[E]], %[[P]]
// CHECK-NEXT: %[[R:.*]] = ov.add %[[B]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ov.add %[[A]], %[[E]]
// CHECK-NEXT: %[[T:.*]] = ov.add %[[S]], %[[R]]
// CHECK-NEXT: func.return %[[T]], %[[D]]
func.func @two_counters(%most: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %minus = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %a0 = ov.constant dense<10> : tensor<i64> : tensor<i64>
  %b0 = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %c0 = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s, %t = ov.loop carried(%a0, %b0, %c0) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>):
    %c1 = ov.multiply %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a1 = ov.add %a, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b1 = ov.add %b, %minus : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %c1, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%a1, %b1, %c1 : tensor<i64>, tensor<i64>, tensor<i64>)
  }
  %sum = ov.add %r, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
  func.return %sum, %t : tensor<i64>, tensor<i64>
}

// Two values that begin as one and are handed on are that one.
// CHECK-LABEL: func.func @begun_as_one(
// CHECK-NEXT: %[[A:.*]] = ov.less %x, %y
// CHECK-NEXT: %[[B:.*]] = ov.loop while(%[[A]]) carried(%y)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[E:.*]] = ov.add %[[D]], %x
// CHECK-NEXT:   %[[F:.*]] = ov.less %x, %[[E]]
// CHECK-NEXT:   ov.next while(%[[F]]) carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x, %[[B]], %x
func.func @begun_as_one(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %go = ov.less %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%x, %y, %x) : (tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %u: tensor<f32>, %w: tensor<f32>):
    %u1 = ov.add %u, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %v, %u1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%v, %u1, %w : tensor<f32>, tensor<f32>, tensor<f32>)
  }
  func.return %r, %s, %t : tensor<f32>, tensor<f32>, tensor<f32>
}

// Two values that only make each other go.
// CHECK-LABEL: func.func @unread_cycle(
// CHECK-NEXT: %[[A:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[D:.*]] = ov.exp %[[C]]
// CHECK-NEXT:   ov.next carried(%[[D]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @unread_cycle(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y, %y) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>, %w: tensor<4xf32>):
    %v1 = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %u, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%v1, %p, %p : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// The third one is made of both, but only for itself.
// CHECK-LABEL: func.func @unread_sum(
// CHECK-NEXT: %[[A:.*]], %[[B:.*]] = ov.loop trip(%n) carried(%x, %y)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[F:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[E]], %[[E]]
// CHECK-NEXT:   ov.next carried(%[[F]], %[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @unread_sum(%n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s, %t = ov.loop trip(%n) carried(%x, %y, %z) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>, %w: tensor<4xf32>):
    %v1 = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %u1 = ov.add %u, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %u, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%v1, %u1, %p : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// A counter from 1 that runs to 9 is never less than 1, and always less than 11.
// CHECK-LABEL: func.func @comparisons_beyond_the_counter(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<false>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<true>
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @comparisons_beyond_the_counter(%x: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %eleven = ov.constant dense<11> : tensor<i32> : tensor<i32>
  %go = ov.less %one, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%x, %x, %one) : (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i32>) -> (tensor<i1>, tensor<i1>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<i1>, %q: tensor<i1>, %k: tensor<i32>):
    %p1 = ov.less %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q1 = ov.less %k, %eleven : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%p1, %q1, %k1 : tensor<i1>, tensor<i1>, tensor<i32>)
  }
  func.return %r, %s : tensor<i1>, tensor<i1>
}

// It may be less than 5, or not.
// CHECK-LABEL: func.func @comparison_within_the_counter(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<10>
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%[[B]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[F:.*]] = ov.convert %[[D]] {destination_type = i32}
// CHECK-NEXT:   %[[G:.*]] = ov.less %[[F]], %[[A]]
// CHECK-NEXT:   %[[H:.*]] = ov.exp %[[E]]
// CHECK-NEXT:   %[[I:.*]] = ov.select %[[G]], %[[H]], %[[E]]
// CHECK-NEXT:   ov.next carried(%[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @comparison_within_the_counter(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %five = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %p = ov.less %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.select %p, %e, %v : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// Two arrays that begin alike and are written alike are one,
// CHECK-LABEL: func.func @written_alike(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<3>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[D:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[E:.*]], %[[F:.*]] = ov.loop trip(%[[A]]) carried(%x, %[[D]])
// CHECK-NEXT: ^bb0(%[[G:.*]]: tensor<i64>, %[[H:.*]]: tensor<1xf32>, %[[I:.*]]: tensor<3xf32>):
// CHECK-NEXT:   %[[J:.*]] = ov.exp %[[H]]
// CHECK-NEXT:   %[[K:.*]] = ov.tanh %[[H]]
// CHECK-NEXT:   %[[L:.*]] = ov.unsqueeze %[[G]], %[[C]]
// CHECK-NEXT:   %[[M:.*]] = ov.scatter_elements_update %[[I]], %[[L]], %[[K]], %[[B]] {reduction = "none", use_init_val = true}
// CHECK-NEXT:   ov.next carried(%[[J]], %[[M]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[E]], %[[F]], %[[F]]
func.func @written_alike(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<3xf32>, tensor<3xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %first = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %a = ov.constant dense<0.0> : tensor<3xf32> : tensor<3xf32>
  %r, %s, %t = ov.loop trip(%n) carried(%x, %a, %a) : (tensor<i64>, tensor<1xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1xf32>, tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>, %u: tensor<3xf32>, %w: tensor<3xf32>):
    %v1 = ov.exp %v : (tensor<1xf32>) -> tensor<1xf32>
    %p = ov.tanh %v : (tensor<1xf32>) -> tensor<1xf32>
    %k = ov.unsqueeze %i, %first : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %u1 = ov.scatter_elements_update %u, %k, %p, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %w1 = ov.scatter_elements_update %w, %k, %p, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    ov.next carried(%v1, %u1, %w1 : tensor<1xf32>, tensor<3xf32>, tensor<3xf32>)
  }
  func.return %r, %s, %t : tensor<1xf32>, tensor<3xf32>, tensor<3xf32>
}

// of two pairs each its own,
// CHECK-LABEL: func.func @two_pairs_written_alike(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[D:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[E:.*]], %[[F:.*]] = ov.loop trip(%n) carried(%x, %y)
// CHECK-NEXT: ^bb0(%[[G:.*]]: tensor<i64>, %[[H:.*]]: tensor<3xf32>, %[[I:.*]]: tensor<3xf32>):
// CHECK-NEXT:   %[[J:.*]] = ov.exp %[[H]]
// CHECK-NEXT:   %[[K:.*]] = ov.scatter_elements_update %[[J]], %[[B]], %[[C]], %[[A]] {reduction = "none", use_init_val = true}
// CHECK-NEXT:   %[[L:.*]] = ov.scatter_elements_update %[[I]], %[[B]], %[[D]], %[[A]] {reduction = "none", use_init_val = true}
// CHECK-NEXT:   ov.next carried(%[[K]], %[[L]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[E]], %[[F]], %[[F]], %[[E]]
func.func @two_pairs_written_alike(%n: tensor<i64>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %at = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %one = ov.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %r:4 = ov.loop trip(%n) carried(%x, %y, %y, %x) : (tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<3xf32>, %q: tensor<3xf32>, %u: tensor<3xf32>, %w: tensor<3xf32>):
    %s = ov.exp %p : (tensor<3xf32>) -> tensor<3xf32>
    %p1 = ov.scatter_elements_update %s, %at, %zero, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %q1 = ov.scatter_elements_update %q, %at, %one, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %u1 = ov.scatter_elements_update %u, %at, %one, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %t = ov.exp %w : (tensor<3xf32>) -> tensor<3xf32>
    %w1 = ov.scatter_elements_update %t, %at, %zero, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    ov.next carried(%p1, %q1, %u1, %w1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// and beside values that are handed on as they came.
// CHECK-LABEL: func.func @written_alike_and_handed_on(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[D:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<3xf32>):
// CHECK-NEXT:   %[[G:.*]] = ov.exp %[[F]]
// CHECK-NEXT:   %[[H:.*]] = ov.scatter_elements_update %[[G]], %[[B]], %[[C]], %[[A]] {reduction = "none", use_init_val = true}
// CHECK-NEXT:   ov.next carried(%[[H]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]], %y, %y, %[[D]]
func.func @written_alike_and_handed_on(%n: tensor<i64>, %x: tensor<3xf32>, %y: tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %at = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %r:4 = ov.loop trip(%n) carried(%x, %y, %y, %x) : (tensor<i64>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<3xf32>, %q: tensor<2xf32>, %u: tensor<2xf32>, %w: tensor<3xf32>):
    %s = ov.exp %p : (tensor<3xf32>) -> tensor<3xf32>
    %p1 = ov.scatter_elements_update %s, %at, %zero, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %t = ov.exp %w : (tensor<3xf32>) -> tensor<3xf32>
    %w1 = ov.scatter_elements_update %t, %at, %zero, %axis {reduction = "none", use_init_val = true} : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    ov.next carried(%p1, %q, %u, %w1 : tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>
}
