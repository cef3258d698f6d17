// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-unroll{max-trips=5},ov-fold-constants,canonicalize,cse' | filecheck %s
// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-unroll{max-trips=2},ov-fold-constants,canonicalize,cse' | filecheck %s --check-prefix=FEW

// Five trips are five copies; with a limit of two trips the loop stays.
// FEW-LABEL: func.func @five_trips(
// FEW:       ov.loop
// CHECK-LABEL: func.func @five_trips(
// CHECK-NEXT: %[[A:.*]] = ov.multiply %x, %x
// CHECK-NEXT: %[[B:.*]] = ov.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.multiply %[[B]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ov.multiply %[[C]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ov.multiply %[[D]], %[[D]]
// CHECK-NEXT: %[[F:.*]] = ov.constant dense<5>
// CHECK-NEXT: func.return %[[F]], %[[E]]
func.func @five_trips(%x: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%zero, %x) : (tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i32>, tensor<3xi32>)
  }
  func.return %r, %s : tensor<i32>, tensor<3xi32>
}

// The step is carried along.
// CHECK-LABEL: func.func @carried_step(
// CHECK-NEXT: %[[A:.*]] = ov.multiply %x, %x
// CHECK-NEXT: %[[B:.*]] = ov.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.multiply %[[B]], %[[B]]
// CHECK-NEXT: func.return %[[C]]
func.func @carried_step(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %s, %t = ov.loop carried(%zero, %x, %one) : (tensor<i64>, tensor<3xi32>, tensor<i64>) -> (tensor<i64>, tensor<3xi32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<3xi32>, %step: tensor<i64>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w, %step : tensor<i64>, tensor<3xi32>, tensor<i64>)
  }
  func.return %s : tensor<3xi32>
}

// Something reads what comes out of it.
// CHECK-LABEL: func.func @result_that_is_read(
// CHECK-NEXT: %[[A:.*]] = ov.multiply %x, %x
// CHECK-NEXT: %[[B:.*]] = ov.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.multiply %[[B]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ov.negative %[[C]]
// CHECK-NEXT: func.return %[[D]]
func.func @result_that_is_read(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop carried(%zero, %x) : (tensor<i64>, tensor<3xi32>) -> (tensor<i64>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<3xi32>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<3xi32>)
  }
  %t = ov.negative %s : (tensor<3xi32>) -> tensor<3xi32>
  func.return %t : tensor<3xi32>
}

// Of three loops two are unrolled: in the third the counter stays what it is.
// CHECK-LABEL: func.func @which_of_three(
// CHECK-NEXT: %[[A:.*]] = ov.multiply %x, %x
// CHECK-NEXT: %[[B:.*]] = ov.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<3xi32>):
// CHECK-NEXT:   %[[F:.*]] = ov.multiply %[[E]], %[[E]]
// CHECK-NEXT:   ov.next carried(%[[F]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[G:.*]] = ov.add %x, %x
// CHECK-NEXT: %[[H:.*]] = ov.add %[[G]], %[[G]]
// CHECK-NEXT: func.return %[[B]], %[[C]], %[[H]]
func.func @which_of_three(%x: tensor<3xi32>, %n: tensor<i64>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %a, %a1 = ov.loop carried(%zero, %x) : (tensor<i64>, tensor<3xi32>) -> (tensor<i64>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<3xi32>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<3xi32>)
  }
  %b, %b1 = ov.loop trip(%n) carried(%zero, %x) : (tensor<i64>, tensor<i64>, tensor<3xi32>) -> (tensor<i64>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<3xi32>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.multiply %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<3xi32>)
  }
  %c, %c1 = ov.loop carried(%zero, %x) : (tensor<i64>, tensor<3xi32>) -> (tensor<i64>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<3xi32>):
    %w = ov.add %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<3xi32>)
  }
  func.return %a1, %b1, %c1 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// Two loops, of which the second one begins with what the first one gives.
// CHECK-LABEL: func.func @one_after_the_other(
// CHECK-NEXT: %[[A:.*]] = ov.multiply %x, %x
// CHECK-NEXT: %[[B:.*]] = ov.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.add %[[B]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ov.add %y, %y
// CHECK-NEXT: %[[E:.*]] = ov.add %[[C]], %[[C]]
// CHECK-NEXT: %[[F:.*]] = ov.add %[[D]], %[[D]]
// CHECK-NEXT: func.return %[[E]], %[[F]]
func.func @one_after_the_other(%x: tensor<3xi32>, %y: tensor<10xi32>) -> (tensor<3xi32>, tensor<10xi32>) {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%zero, %x) : (tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>):
    %w = ov.multiply %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i32>, tensor<3xi32>)
  }
  %a, %b, %c = ov.loop carried(%zero, %s, %y) : (tensor<i32>, tensor<3xi32>, tensor<10xi32>) -> (tensor<i32>, tensor<3xi32>, tensor<10xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<3xi32>, %u: tensor<10xi32>):
    %w = ov.add %v, %v : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %q = ov.add %u, %u : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w, %q : tensor<i32>, tensor<3xi32>, tensor<10xi32>)
  }
  func.return %b, %c : tensor<3xi32>, tensor<10xi32>
}

// From 4 to 6.
// CHECK-LABEL: func.func @begin_that_is_not_zero(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<4>
// CHECK-NEXT: %[[B:.*]] = ov.multiply %x, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<5>
// CHECK-NEXT: %[[D:.*]] = ov.multiply %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ov.constant dense<6>
// CHECK-NEXT: %[[F:.*]] = ov.multiply %[[D]], %[[E]]
// CHECK-NEXT: func.return %[[F]]
func.func @begin_that_is_not_zero(%x: tensor<3xi64>) -> tensor<3xi64> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop carried(%four, %x) : (tensor<i64>, tensor<3xi64>) -> (tensor<i64>, tensor<3xi64>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<3xi64>):
    %w = ov.multiply %v, %k : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i64>, tensor<3xi64>)
  }
  func.return %s : tensor<3xi64>
}

// A counter of 16 bits.
// CHECK-LABEL: func.func @counter_of_16_bits(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[B:.*]] = ov.subtract %x, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[D:.*]] = ov.subtract %[[B]], %[[C]]
// CHECK-NEXT: func.return %[[D]]
func.func @counter_of_16_bits(%x: tensor<3xi16>) -> tensor<3xi16> {
  %zero = ov.constant dense<0> : tensor<i16> : tensor<i16>
  %one = ov.constant dense<1> : tensor<i16> : tensor<i16>
  %end = ov.constant dense<3> : tensor<i16> : tensor<i16>
  %r, %s = ov.loop carried(%zero, %x) : (tensor<i16>, tensor<3xi16>) -> (tensor<i16>, tensor<3xi16>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i16>, %v: tensor<3xi16>):
    %w = ov.subtract %v, %k : (tensor<3xi16>, tensor<i16>) -> tensor<3xi16>
    %k1 = ov.add %k, %one : (tensor<i16>, tensor<i16>) -> tensor<i16>
    %again = ov.less %k1, %end : (tensor<i16>, tensor<i16>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %w : tensor<i16>, tensor<3xi16>)
  }
  func.return %s : tensor<3xi16>
}

// A loop in the other one, with steps that are carried along.
// CHECK-LABEL: func.func @nest(
// CHECK-NEXT: %[[A:.*]] = ov.multiply %x, %x
// CHECK-NEXT: %[[B:.*]] = ov.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.add %y, %y
// CHECK-NEXT: %[[D:.*]] = ov.multiply %[[B]], %[[B]]
// CHECK-NEXT: %[[E:.*]] = ov.multiply %[[D]], %[[D]]
// CHECK-NEXT: %[[F:.*]] = ov.add %[[C]], %[[C]]
// CHECK-NEXT: func.return %[[E]], %[[F]]
func.func @nest(%x: tensor<3xi32>, %y: tensor<10xi32>) -> (tensor<3xi32>, tensor<10xi32>) {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %r:4 = ov.loop carried(%zero, %one, %x, %y) : (tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<10xi32>) -> (tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<10xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %step: tensor<i32>, %v: tensor<3xi32>, %u: tensor<10xi32>):
    %a, %b, %c = ov.loop carried(%zero, %one, %v) : (tensor<i32>, tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<i32>, tensor<3xi32>) {
    ^bb0(%j: tensor<i64>, %l: tensor<i32>, %inner: tensor<i32>, %t: tensor<3xi32>):
      %w = ov.multiply %t, %t : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      %l1 = ov.add %l, %inner : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %more = ov.less %l1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ov.next while(%more) carried(%l1, %inner, %w : tensor<i32>, tensor<i32>, tensor<3xi32>)
    }
    %q = ov.add %u, %u : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi32>
    %k1 = ov.add %k, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %step, %c, %q : tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<10xi32>)
  }
  func.return %r#2, %r#3 : tensor<3xi32>, tensor<10xi32>
}

// Rows 0, 2 and 4 are read at places that are known then; the other place the run says.
// CHECK-LABEL: func.func @places_that_are_known(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.gather %x, %[[A]], %[[A]] {out_of_range = "error"}
// CHECK-NEXT: %[[C:.*]] = ov.gather %x, %k, %[[A]] {out_of_range = "error"}
// CHECK-NEXT: %[[D:.*]] = ov.multiply %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ov.add %y, %[[D]]
// CHECK-NEXT: %[[F:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[G:.*]] = ov.gather %x, %[[F]], %[[A]] {out_of_range = "error"}
// CHECK-NEXT: %[[H:.*]] = ov.multiply %[[G]], %[[C]]
// CHECK-NEXT: %[[I:.*]] = ov.add %[[E]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ov.constant dense<4>
// CHECK-NEXT: %[[K:.*]] = ov.gather %x, %[[J]], %[[A]] {out_of_range = "error"}
// CHECK-NEXT: %[[L:.*]] = ov.multiply %[[K]], %[[C]]
// CHECK-NEXT: %[[M:.*]] = ov.add %[[I]], %[[L]]
// CHECK-NEXT: func.return %[[M]]
func.func @places_that_are_known(%x: tensor<6x4xf32>, %y: tensor<4xf32>, %k: tensor<i64>) -> tensor<4xf32> {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %at = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %p = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<6x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<6x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.multiply %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
