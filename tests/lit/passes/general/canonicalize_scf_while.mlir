// RUN: loomir-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s
// Each function is one rewrite of `scf.while`, or a near miss. "test.*" is unknown, and so does something.

// CHECK-LABEL: func.func @never_again
// CHECK-NEXT: %r = "test.a"(%x) : (i32) -> i64
// CHECK-NEXT: func.return %r : i64
func.func @never_again(%x: i32) -> i64 {
  %false = arith.constant false
  %r = scf.while (%a = %x) : (i32) -> i64 {
    %0 = "test.a"(%a) : (i32) -> i64
    scf.condition(%false) %0 : i64
  } do {
  ^bb0(%b: i64):
    %0 = "test.b"(%b) : (i64) -> i32
    scf.yield %0 : i32
  }
  func.return %r : i64
}

// In the second region the condition is true; behind the loop it is not.
// CHECK-LABEL: func.func @condition_inside
// CHECK-NEXT: %r = scf.while () : () -> i1 {
// CHECK-NEXT: %c = "test.a"() : () -> i1
// CHECK-NEXT: scf.condition(%c) %c : i1
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%c_1: i1):
// CHECK-NEXT: %c_2 = arith.constant true
// CHECK-NEXT: "test.b"(%c_2) : (i1) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i1
func.func @condition_inside() -> i1 {
  %r = scf.while () : () -> i1 {
    %c = "test.a"() : () -> i1
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%c: i1):
    "test.b"(%c) : (i1) -> ()
    scf.yield
  }
  func.return %r : i1
}

// CHECK-LABEL: func.func @comparison_inside
// CHECK-NEXT: %r = scf.while () : () -> i32 {
// CHECK-NEXT: %v = "test.a"() : () -> i32
// CHECK-NEXT: %c = arith.cmpi ne, %v, %n : i32
// CHECK-NEXT: scf.condition(%c) %v : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v_1: i32):
// CHECK-NEXT: %0 = arith.constant true
// CHECK-NEXT: %1 = arith.constant false
// CHECK-NEXT: "test.b"(%0, %1, %v_1) : (i1, i1, i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @comparison_inside(%n: i32) {
  %r = scf.while () : () -> i32 {
    %v = "test.a"() : () -> i32
    %c = arith.cmpi ne, %v, %n : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %0 = arith.cmpi ne, %v, %n : i32
    %1 = arith.cmpi eq, %v, %n : i32
    "test.b"(%0, %1, %v) : (i1, i1, i32) -> ()
    scf.yield
  }
  func.return
}

// The operands may be in the other order.
// CHECK-LABEL: func.func @exchanged_comparison_inside
// CHECK-NEXT: %r = scf.while () : () -> i32 {
// CHECK-NEXT: %v = "test.a"() : () -> i32
// CHECK-NEXT: %c = arith.cmpi slt, %n, %v : i32
// CHECK-NEXT: scf.condition(%c) %v : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v_1: i32):
// CHECK-NEXT: %0 = arith.constant true
// CHECK-NEXT: %1 = arith.constant false
// CHECK-NEXT: "test.b"(%0, %1, %v_1) : (i1, i1, i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @exchanged_comparison_inside(%n: i32) {
  %r = scf.while () : () -> i32 {
    %v = "test.a"() : () -> i32
    %c = arith.cmpi slt, %n, %v : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %0 = arith.cmpi sgt, %v, %n : i32
    %1 = arith.cmpi sge, %n, %v : i32
    "test.b"(%0, %1, %v) : (i1, i1, i32) -> ()
    scf.yield
  }
  func.return
}

// Near misses: another relation, another number, signs read otherwise.
// CHECK-LABEL: func.func @other_comparison_inside
// CHECK-NEXT: %r = scf.while () : () -> i32 {
// CHECK-NEXT: %v = "test.a"() : () -> i32
// CHECK-NEXT: %c = arith.cmpi slt, %v, %n : i32
// CHECK-NEXT: scf.condition(%c) %v : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v_1: i32):
// CHECK-NEXT: %0 = arith.cmpi slt, %n, %v_1 : i32
// CHECK-NEXT: %1 = arith.cmpi slt, %v_1, %m : i32
// CHECK-NEXT: %2 = arith.cmpi ult, %v_1, %n : i32
// CHECK-NEXT: "test.b"(%0, %1, %2, %v_1) : (i1, i1, i1, i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @other_comparison_inside(%n: i32, %m: i32) {
  %r = scf.while () : () -> i32 {
    %v = "test.a"() : () -> i32
    %c = arith.cmpi slt, %v, %n : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %0 = arith.cmpi slt, %n, %v : i32
    %1 = arith.cmpi slt, %v, %m : i32
    %2 = arith.cmpi ult, %v, %n : i32
    "test.b"(%0, %1, %2, %v) : (i1, i1, i1, i32) -> ()
    scf.yield
  }
  func.return
}

// CHECK-LABEL: func.func @handed_on_unchanged
// CHECK-NEXT: %r, %r_1 = scf.while (%a = %x, %c = %y) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT: %0 = arith.cmpi slt, %a, %n : i32
// CHECK-NEXT: scf.condition(%0) %a, %c : i32, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%a_1: i32, %c_1: i32):
// CHECK-NEXT: %1 = "test.a"(%a_1, %y) : (i32, i32) -> i32
// CHECK-NEXT: %2 = "test.b"(%c_1) : (i32) -> i32
// CHECK-NEXT: scf.yield %1, %2 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %y, %r_1, %x : i32, i32, i32, i32
func.func @handed_on_unchanged(%x: i32, %y: i32, %n: i32) -> (i32, i32, i32, i32) {
  %r:4 = scf.while (%a = %x, %b = %y, %c = %y, %d = %x) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
    %0 = arith.cmpi slt, %a, %n : i32
    scf.condition(%0) %a, %b, %c, %d : i32, i32, i32, i32
  } do {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %0 = "test.a"(%a, %b) : (i32, i32) -> i32
    %1 = "test.b"(%c) : (i32) -> i32
    scf.yield %0, %b, %1, %d : i32, i32, i32, i32
  }
  func.return %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
}

// In another order: what seems to change is one value.
// CHECK-LABEL: func.func @handed_on_in_another_order
// CHECK-NEXT: scf.while () : () -> () {
// CHECK-NEXT: %0 = "test.a"(%x) : (i32) -> i1
// CHECK-NEXT: scf.condition(%0)
// CHECK-NEXT: } do {
// CHECK-NEXT: "test.b"(%y, %x, %x, %y) : (i32, i32, i32, i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y, %x, %x, %y : i32, i32, i32, i32
func.func @handed_on_in_another_order(%x: i32, %y: i32, %n: i32) -> (i32, i32, i32, i32) {
  %r:4 = scf.while (%a = %x, %b = %y, %c = %y) : (i32, i32, i32) -> (i32, i32, i32, i32) {
    %0 = "test.a"(%a) : (i32) -> i1
    scf.condition(%0) %b, %a, %a, %c : i32, i32, i32, i32
  } do {
  ^bb0(%d: i32, %e: i32, %f: i32, %g: i32):
    "test.b"(%d, %e, %f, %g) : (i32, i32, i32, i32) -> ()
    scf.yield %f, %g, %d : i32, i32, i32
  }
  func.return %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @unused_result
// CHECK-NEXT: %r = scf.while () : () -> i32 {
// CHECK-NEXT: %c = "test.a"() : () -> i1
// CHECK-NEXT: %0 = "test.b"() : () -> i32
// CHECK-NEXT: %1 = "test.c"() : () -> i64
// CHECK-NEXT: scf.condition(%c) %0 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v: i32):
// CHECK-NEXT: "test.d"(%v) : (i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @unused_result() -> i32 {
  %r:2 = scf.while () : () -> (i32, i64) {
    %c = "test.a"() : () -> i1
    %0 = "test.b"() : () -> i32
    %1 = "test.c"() : () -> i64
    scf.condition(%c) %0, %1 : i32, i64
  } do {
  ^bb0(%v: i32, %w: i64):
    "test.d"(%v) : (i32) -> ()
    scf.yield
  }
  func.return %r#0 : i32
}

// CHECK-LABEL: func.func @equal_results
// CHECK-NEXT: %r = scf.while () : () -> i32 {
// CHECK-NEXT: %0 = "test.a"() : () -> i32
// CHECK-NEXT: %c = "test.b"() : () -> i1
// CHECK-NEXT: scf.condition(%c) %0 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v: i32):
// CHECK-NEXT: "test.c"(%v, %v) : (i32, i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r : i32, i32
func.func @equal_results() -> (i32, i32) {
  %r:2 = scf.while () : () -> (i32, i32) {
    %0 = "test.a"() : () -> i32
    %c = "test.b"() : () -> i1
    scf.condition(%c) %0, %0 : i32, i32
  } do {
  ^bb0(%v: i32, %w: i32):
    "test.c"(%v, %w) : (i32, i32) -> ()
    scf.yield
  }
  func.return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: func.func @unread_argument
// CHECK-NEXT: %r = scf.while (%a = %x) : (i32) -> i32 {
// CHECK-NEXT: %c = "test.a"(%a) : (i32) -> i1
// CHECK-NEXT: scf.condition(%c) %a : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%a_1: i32):
// CHECK-NEXT: %0 = "test.b"(%a_1) : (i32) -> i32
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @unread_argument(%x: i32, %y: f64, %z: f64) -> i32 {
  %r = scf.while (%a = %x, %b = %y) : (i32, f64) -> i32 {
    %c = "test.a"(%a) : (i32) -> i1
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%a: i32):
    %0 = "test.b"(%a) : (i32) -> i32
    scf.yield %0, %z : i32, f64
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @only_unread_arguments
// CHECK-NEXT: %r = scf.while () : () -> i32 {
// CHECK-NEXT: %0 = "test.a"() : () -> i32
// CHECK-NEXT: %c = "test.b"() : () -> i1
// CHECK-NEXT: scf.condition(%c) %0 : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v: i32):
// CHECK-NEXT: "test.c"(%v) : (i32) -> ()
// CHECK-NEXT: %1 = "test.d"() : () -> i32
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @only_unread_arguments(%x: i32) -> i32 {
  %r = scf.while (%a = %x) : (i32) -> i32 {
    %0 = "test.a"() : () -> i32
    %c = "test.b"() : () -> i1
    scf.condition(%c) %0 : i32
  } do {
  ^bb0(%v: i32):
    "test.c"(%v) : (i32) -> ()
    %0 = "test.d"() : () -> i32
    scf.yield %0 : i32
  }
  func.return %r : i32
}

// The normal form stays: what is handed on unchanged is looked at by the condition, and so goes from neither region.
// CHECK-LABEL: func.func @counter_for_the_condition_alone
// CHECK-NEXT: %r, %r_1 = scf.while (%k = %x, %v = %y) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT: %c = "test.a"(%k) : (i32) -> i1
// CHECK-NEXT: scf.condition(%c) %k, %v : i32, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%k_1: i32, %v_1: i32):
// CHECK-NEXT: %0 = "test.b"() : () -> i32
// CHECK-NEXT: %1 = "test.c"(%v_1, %v_1) : (i32, i32) -> i32
// CHECK-NEXT: scf.yield %0, %1 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_1 : i32
func.func @counter_for_the_condition_alone(%x: i32, %y: i32) -> i32 {
  %r:3 = scf.while (%k = %x, %v = %y, %w = %y) : (i32, i32, i32) -> (i32, i32, i32) {
    %c = "test.a"(%k) : (i32) -> i1
    scf.condition(%c) %k, %v, %w : i32, i32, i32
  } do {
  ^bb0(%k: i32, %v: i32, %w: i32):
    %0 = "test.b"() : () -> i32
    %1 = "test.c"(%v, %w) : (i32, i32) -> i32
    scf.yield %0, %1, %1 : i32, i32, i32
  }
  func.return %r#2 : i32
}

// All arguments, in another order: the normal form has them in theirs.
// CHECK-LABEL: func.func @all_arguments_in_another_order
// CHECK-NEXT: %r, %r_1, %r_2 = scf.while (%a = %x, %b = %y, %c = %z) : (f32, i32, i64) -> (f32, i32, i64) {
// CHECK-NEXT: %0 = "test.a"() : () -> i1
// CHECK-NEXT: scf.condition(%0) %a, %b, %c : f32, i32, i64
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%a_1: f32, %b_1: i32, %c_1: i64):
// CHECK-NEXT: %1 = "test.b"(%c_1) : (i64) -> f32
// CHECK-NEXT: %2 = "test.c"(%a_1) : (f32) -> i32
// CHECK-NEXT: %3 = "test.d"(%b_1) : (i32) -> i64
// CHECK-NEXT: scf.yield %1, %2, %3 : f32, i32, i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_2, %r, %r_1 : i64, f32, i32
func.func @all_arguments_in_another_order(%x: f32, %y: i32, %z: i64) -> (i64, f32, i32) {
  %r:3 = scf.while (%a = %x, %b = %y, %c = %z) : (f32, i32, i64) -> (i64, f32, i32) {
    %0 = "test.a"() : () -> i1
    scf.condition(%0) %c, %a, %b : i64, f32, i32
  } do {
  ^bb0(%c: i64, %a: f32, %b: i32):
    %0 = "test.b"(%c) : (i64) -> f32
    %1 = "test.c"(%a) : (f32) -> i32
    %2 = "test.d"(%b) : (i32) -> i64
    scf.yield %0, %1, %2 : f32, i32, i64
  }
  func.return %r#0, %r#1, %r#2 : i64, f32, i32
}

// It does not end.
// CHECK-LABEL: @for_ever
// CHECK:       scf.while
// CHECK:         "test.a"
// CHECK:         "test.b"
func.func @for_ever(%x: f32) -> f32 {
  %true = arith.constant true
  %r = scf.while (%a = %x) : (f32) -> f32 {
    "test.a"() : () -> ()
    scf.condition(%true) %a : f32
  } do {
  ^bb0(%a: f32):
    %b = "test.b"(%a) : (f32) -> f32
    scf.yield %b : f32
  }
  func.return %r : f32
}
