// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-fold-constants,canonicalize,cse' | filecheck %s

// It goes on while the value is 42, and a trip makes it another: one trip at most.
// CHECK-LABEL: func.func @at_most_one(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.equal %k0, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.if %[[B]]
// CHECK-NEXT:   %[[D:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.yield %x
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @at_most_one(%k0: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %minus = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<42> : tensor<i64> : tensor<i64>
  %go = ov.equal %k0, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %k0) : (tensor<i1>, tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i64>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %again = ov.equal %minus, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %minus : tensor<4xf32>, tensor<i64>)
  }
  func.return %r : tensor<4xf32>
}

// A trip makes it 42 itself: nothing says when that ends.
// CHECK-LABEL: func.func @no_bound(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.equal %k0, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.loop while(%[[B]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[F:.*]] = ov.exp %[[E]]
// CHECK-NEXT:   %[[G:.*]] = ov.convert %[[F]] {destination_type = i64}
// CHECK-NEXT:   %[[H:.*]] = ov.minimum %[[G]], %[[A]]
// CHECK-NEXT:   %[[I:.*]] = ov.equal %[[H]], %[[A]]
// CHECK-NEXT:   ov.next while(%[[I]]) carried(%[[F]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @no_bound(%k0: tensor<i64>, %x: tensor<f32>, %m: tensor<i64>) -> tensor<f32> {
  %end = ov.constant dense<42> : tensor<i64> : tensor<i64>
  %go = ov.equal %k0, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %k0) : (tensor<i1>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %k: tensor<i64>):
    %w = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %big = ov.convert %w {destination_type = i64} : (tensor<f32>) -> tensor<i64>
    %k1 = ov.minimum %big, %end : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.equal %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<f32>, tensor<i64>)
  }
  func.return %r : tensor<f32>
}

// From 0 by 5 to below 42: the counter is 0 to 40.
// CHECK-LABEL: func.func @range_below(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<false>
// CHECK-NEXT: func.return %[[A]], %[[A]]
func.func @range_below(%x: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %five = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %forty = ov.constant dense<40> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %r, %s, %t = ov.loop carried(%x, %x, %zero) : (tensor<i1>, tensor<i1>, tensor<i32>) -> (tensor<i1>, tensor<i1>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<i1>, %q: tensor<i1>, %k: tensor<i32>):
    %p1 = ov.greater %k, %forty : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q1 = ov.less %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %k1 = ov.add %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%p1, %q1, %k1 : tensor<i1>, tensor<i1>, tensor<i32>)
  }
  func.return %r, %s : tensor<i1>, tensor<i1>
}

// Of steps 1, 2, 5 to below 42 and of 5 to below 40 these are 42, 21, 9 and 8 trips,
// CHECK-LABEL: func.func @trips_below(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[F:.*]] = ov.constant dense<21>
// CHECK-NEXT: %[[G:.*]] = ov.loop trip(%[[F]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[H:.*]]: tensor<i64>, %[[I:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[J:.*]] = ov.exp %[[I]]
// CHECK-NEXT:   ov.next carried(%[[J]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[K:.*]] = ov.constant dense<9>
// CHECK-NEXT: %[[L:.*]] = ov.loop trip(%[[K]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[M:.*]]: tensor<i64>, %[[N:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[O:.*]] = ov.exp %[[N]]
// CHECK-NEXT:   ov.next carried(%[[O]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:.*]] = ov.constant dense<8>
// CHECK-NEXT: %[[Q:.*]] = ov.loop trip(%[[P]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[R:.*]]: tensor<i64>, %[[S:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[T:.*]] = ov.exp %[[S]]
// CHECK-NEXT:   ov.next carried(%[[T]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]], %[[G]], %[[L]], %[[Q]]
func.func @trips_below(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %two = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %five = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %forty = ov.constant dense<40> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %a, %a1 = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  %b, %b1 = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  %c, %c1 = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  %d, %d1 = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %forty : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The counter grows by what is carried, and that changes.
// CHECK-LABEL: func.func @step_that_changes(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.less %k0, %[[A]]
// CHECK-NEXT: %[[C:.*]], %[[D:.*]] = ov.loop while(%[[B]]) carried(%k0, %s0)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<i64>, %[[G:.*]]: tensor<i64>):
// CHECK-NEXT:   %[[H:.*]] = ov.add %[[F]], %[[G]]
// CHECK-NEXT:   %[[I:.*]] = ov.subtract %[[H]], %[[G]]
// CHECK-NEXT:   %[[J:.*]] = ov.less %[[H]], %[[A]]
// CHECK-NEXT:   ov.next while(%[[J]]) carried(%[[H]], %[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]]
func.func @step_that_changes(%k0: tensor<i64>, %s0: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %end = ov.constant dense<42> : tensor<i64> : tensor<i64>
  %go = ov.less %k0, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%k0, %s0) : (tensor<i1>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %step: tensor<i64>):
    %k1 = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s1 = ov.subtract %k1, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %s1 : tensor<i64>, tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// What is divided is no counter.
// CHECK-LABEL: func.func @quotient(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[C:.*]] = ov.less %[[A]], %k0
// CHECK-NEXT: %[[D:.*]] = ov.loop while(%[[C]]) carried(%k0)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<i64>):
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[F]], %[[A]]
// CHECK-NEXT:   %[[H:.*]] = ov.maximum %[[E]], %[[B]]
// CHECK-NEXT:   %[[I:.*]] = ov.divide %[[G]], %[[H]]
// CHECK-NEXT:   %[[J:.*]] = ov.less %[[A]], %[[I]]
// CHECK-NEXT:   ov.next while(%[[J]]) carried(%[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[D]]
func.func @quotient(%k0: tensor<i64>) -> tensor<i64> {
  %end = ov.constant dense<42> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %go = ov.less %end, %k0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.loop while(%go) carried(%k0) : (tensor<i1>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>):
    %p = ov.add %k, %end : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %q = ov.maximum %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %k1 = ov.divide %p, %q : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %end, %k1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1 : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// A step of 42, from a begin that only the run knows.
// CHECK-LABEL: func.func @one_step(
// CHECK-NEXT: %[[A:.*]] = ov.maximum %n, %k0
// CHECK-NEXT: %[[B:.*]] = ov.subtract %[[A]], %k0
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[D:.*]] = ov.less %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ov.constant dense<4611686018427387904>
// CHECK-NEXT: %[[F:.*]] = ov.select %[[D]], %[[E]], %[[B]]
// CHECK-NEXT: %[[G:.*]] = ov.constant dense<-1>
// CHECK-NEXT: %[[H:.*]] = ov.add %[[F]], %[[G]]
// CHECK-NEXT: %[[I:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[J:.*]] = ov.divide %[[H]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[L:.*]] = ov.add %[[J]], %[[K]]
// CHECK-NEXT: %[[M:.*]] = ov.multiply %[[J]], %[[I]]
// CHECK-NEXT: %[[N:.*]] = ov.add %k0, %[[M]]
// CHECK-NEXT: %[[O:.*]] = ov.constant dense<9223372036854775765>
// CHECK-NEXT: %[[P:.*]] = ov.less %[[O]], %[[N]]
// CHECK-NEXT: %[[Q:.*]] = ov.less %[[G]], %[[J]]
// CHECK-NEXT: %[[R:.*]] = ov.logical_and %[[Q]], %[[P]]
// CHECK-NEXT: %[[S:.*]] = ov.select %[[R]], %[[E]], %[[L]]
// CHECK-NEXT: %[[T:.*]] = ov.loop trip(%[[S]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[U:.*]]: tensor<i64>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[W:.*]] = ov.exp %[[V]]
// CHECK-NEXT:   ov.next carried(%[[W]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[T]]
func.func @one_step(%k0: tensor<i64>, %n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %step = ov.constant dense<42> : tensor<i64> : tensor<i64>
  %go = ov.less %k0, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %k0) : (tensor<i1>, tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i64>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i64>)
  }
  func.return %r : tensor<4xf32>
}

// The counter comes through a reshape, and so does what it begins with.
// CHECK-LABEL: func.func @through_a_copy(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<4>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @through_a_copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %shape = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %k0 = ov.squeeze %zero, %axes : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  %r, %s = ov.loop carried(%x, %k0) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i64>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.reshape %k, %shape {special_zero = false} : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %q = ov.squeeze %p, %axes : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    %k1 = ov.add %q, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i64>)
  }
  func.return %r : tensor<4xf32>
}

// Two counters in one tensor, of which a slice is compared.
// CHECK-LABEL: func.func @vector_of_counters(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<4>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @vector_of_counters(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k0 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %first = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %four = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r, %s = ov.loop carried(%x, %k0) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<4xf32>, tensor<2xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<2xi64>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %p = ov.slice %k1, %zero, %first, %first, %zero : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %q = ov.less %p, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %again = ov.squeeze %q, %axes : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<2xi64>)
  }
  func.return %r : tensor<4xf32>
}

// A condition that only constants decide, but a hundred thousand of them: that is not computed beforehand.
// CHECK-LABEL: func.func @too_much_to_compute(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[D:.*]] = ov.constant dense<100000>
// CHECK-NEXT: %[[E:.*]] = ov.constant dense<true>
// CHECK-NEXT: %[[F:.*]] = ov.constant dense<false>
// CHECK-NEXT: %[[G:.*]] = ov.broadcast %[[E]], %[[D]] {mode = "numpy"}
// CHECK-NEXT: %[[H:.*]], %[[I:.*]] = ov.loop carried(%[[G]], %[[A]])
// CHECK-NEXT: ^bb0(%[[J:.*]]: tensor<i64>, %[[K:.*]]: tensor<100000xi1>, %[[L:.*]]: tensor<i64>):
// CHECK-NEXT:   %[[M:.*]] = ov.unsqueeze %[[L]], %[[C]]
// CHECK-NEXT:   %[[N:.*]] = ov.scatter_elements_update %[[K]], %[[M]], %[[F]], %[[A]] {reduction = "none", use_init_val = true}
// CHECK-NEXT:   %[[O:.*]] = ov.add %[[L]], %[[B]]
// CHECK-NEXT:   %[[P:.*]] = ov.reduce_logical_or %[[N]], %[[C]]
// CHECK-NEXT:   ov.next while(%[[P]]) carried(%[[N]], %[[O]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[I]]
func.func @too_much_to_compute() -> tensor<i64> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %first = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<100000> : tensor<1xi64> : tensor<1xi64>
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %false = ov.constant dense<false> : tensor<1xi1> : tensor<1xi1>
  %all = ov.broadcast %true, %shape {mode = "numpy"} : (tensor<i1>, tensor<1xi64>) -> tensor<100000xi1>
  %r, %s = ov.loop carried(%all, %zero) : (tensor<100000xi1>, tensor<i64>) -> (tensor<100000xi1>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<100000xi1>, %k: tensor<i64>):
    %at = ov.unsqueeze %k, %axis : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %w = ov.scatter_elements_update %v, %at, %false, %first {reduction = "none", use_init_val = true} : (tensor<100000xi1>, tensor<1xi64>, tensor<1xi1>, tensor<i64>) -> tensor<100000xi1>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.reduce_logical_or %w, %axis {keep_dims = false} : (tensor<100000xi1>, tensor<1xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<100000xi1>, tensor<i64>)
  }
  func.return %s : tensor<i64>
}
