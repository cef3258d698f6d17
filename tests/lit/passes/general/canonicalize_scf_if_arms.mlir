// RUN: loomir-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s
// What both arms of an `scf.if` do, and what its condition is by those around it; or a near miss. "test.*" is unknown, and so does something.

// Equal arms, one operation on the other's result.
// CHECK-LABEL: func.func @equal_arms
// CHECK-NEXT: %a = math.exp %x : f32
// CHECK-NEXT: %b = arith.addf %a, %x : f32
// CHECK-NEXT: func.return %b : f32
func.func @equal_arms(%c: i1, %x: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %a = math.exp %x : f32
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  } else {
    %a = math.exp %x : f32
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  }
  func.return %r : f32
}

// What both begin with moves before, and what both end in behind, with other operands too.
// CHECK-LABEL: func.func @common_first_and_last
// CHECK-NEXT: %a = math.exp %x : f32
// CHECK-NEXT: %[[R:.*]] = scf.if %c -> (f32) {
// CHECK-NEXT: %b = math.sin %a : f32
// CHECK-NEXT: scf.yield %b : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[B:.*]] = math.cos %a : f32
// CHECK-NEXT: scf.yield %[[B]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %d = arith.mulf %[[R]], %x : f32
// CHECK-NEXT: func.return %d : f32
func.func @common_first_and_last(%c: i1, %x: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %a = math.exp %x : f32
    %b = math.sin %a : f32
    %d = arith.mulf %b, %x : f32
    scf.yield %d : f32
  } else {
    %a = math.exp %x : f32
    %b = math.cos %a : f32
    %d = arith.mulf %b, %x : f32
    scf.yield %d : f32
  }
  func.return %r : f32
}

// What may fail moves out where it is the first that may in both arms, and stays behind another that may.
// CHECK-LABEL: func.func @common_that_may_fail
// CHECK-NEXT: %a = arith.divsi %x, %y : i32
// CHECK-NEXT: %r = scf.if %c -> (i32) {
// CHECK-NEXT: %[[P:.*]] = arith.remsi %y, %x : i32
// CHECK-NEXT: %[[Q:.*]] = arith.remsi %x, %y : i32
// CHECK: } else {
// CHECK-NEXT: %[[P:.*]] = arith.remsi %x, %y : i32
// CHECK-NEXT: %[[Q:.*]] = arith.remsi %y, %x : i32
func.func @common_that_may_fail(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %a = arith.divsi %x, %y : i32
    %p = arith.remsi %y, %x : i32
    %q = arith.remsi %x, %y : i32
    %s = arith.addi %p, %q : i32
    %t = arith.subi %a, %s : i32
    scf.yield %t : i32
  } else {
    %a = arith.divsi %x, %y : i32
    %p = arith.remsi %x, %y : i32
    %q = arith.remsi %y, %x : i32
    %s = arith.xori %p, %q : i32
    %t = arith.addi %a, %s : i32
    scf.yield %t : i32
  }
  func.return %r : i32
}

// Near misses: other operands, an effect, a last operation whose value the arm needs again.
// CHECK-LABEL: func.func @not_common
// CHECK-NEXT: scf.if %c
// CHECK-NEXT: math.exp %x
// CHECK-NEXT: "test.a"
// CHECK-NEXT: "test.b"
// CHECK: } else {
// CHECK-NEXT: math.exp %y
// CHECK-NEXT: "test.a"
func.func @not_common(%c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %a = math.exp %x : f32
    "test.a"() : () -> ()
    "test.b"(%a) : (f32) -> ()
    scf.yield %a : f32
  } else {
    %a = math.exp %y : f32
    "test.a"() : () -> ()
    scf.yield %a : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: func.func @implied
// CHECK:      scf.if %c {
// CHECK-NEXT:   "test.less_than_5"
// CHECK-NEXT:   "test.not_3"
// CHECK-NEXT: } else {
// CHECK-NEXT:   "test.at_least_3"
// CHECK-NEXT:   scf.if
// CHECK-NEXT:     "test.open"
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @implied(%k: i32) {
  %3 = arith.constant 3 : i32
  %5 = arith.constant 5 : i32
  %c = arith.cmpi slt, %k, %3 : i32
  %d = arith.cmpi slt, %k, %5 : i32
  %e = arith.cmpi ne, %3, %k : i32
  %f = arith.cmpi sge, %k, %3 : i32
  scf.if %c {
    scf.if %d {
      "test.less_than_5"() : () -> ()
      scf.yield
    } else {
      "test.never"() : () -> ()
      scf.yield
    }
    scf.if %e {
      "test.not_3"() : () -> ()
      scf.yield
    }
    scf.if %f {
      "test.never"() : () -> ()
      scf.yield
    }
    scf.yield
  } else {
    scf.if %f {
      "test.at_least_3"() : () -> ()
      scf.yield
    }
    scf.if %d {
      "test.open"() : () -> ()
      scf.yield
    }
    scf.yield
  }
  func.return
}

// Of the same two values, of both parts of a conjunction, and from below and above together.
// CHECK-LABEL: func.func @implied_by_parts
// CHECK:      scf.if %{{.*}} {
// CHECK-NEXT:   "test.a"
// CHECK-NEXT:   "test.b"
// CHECK-NEXT:   "test.c"
// CHECK-NEXT: }
func.func @implied_by_parts(%x: i32, %y: i32, %b: i1) {
  %0 = arith.constant 0 : i32
  %9 = arith.constant 9 : i32
  %p = arith.cmpi slt, %x, %y : i32
  %q = arith.cmpi sgt, %x, %0 : i32
  %r = arith.andi %p, %b : i1
  %s = arith.andi %r, %q : i1
  %greater = arith.cmpi sgt, %y, %x : i32
  %unsigned = arith.cmpi ugt, %x, %0 : i32
  %equal = arith.cmpi eq, %x, %y : i32
  scf.if %s {
    scf.if %greater {
      "test.a"() : () -> ()
      scf.yield
    }
    scf.if %b {
      "test.b"() : () -> ()
      scf.yield
    }
    scf.if %unsigned {
      "test.c"() : () -> ()
      scf.yield
    }
    scf.if %equal {
      "test.never"() : () -> ()
      scf.yield
    }
    scf.yield
  }
  func.return
}

// Near misses: a part of what does not hold, another domain, another value, a bound too far.
// CHECK-LABEL: func.func @not_implied
// CHECK-COUNT-6: scf.if
func.func @not_implied(%x: i32, %y: i32, %b: i1) {
  %3 = arith.constant 3 : i32
  %5 = arith.constant 5 : i32
  %less = arith.cmpi slt, %x, %y : i32
  %both = arith.andi %less, %b : i1
  %unsigned = arith.cmpi ult, %x, %y : i32
  %x5 = arith.cmpi slt, %x, %5 : i32
  %x3 = arith.cmpi slt, %x, %3 : i32
  %u5 = arith.cmpi ult, %x, %5 : i32
  scf.if %both {
    scf.if %unsigned {
      "test.a"() : () -> ()
      scf.yield
    }
    scf.yield
  } else {
    scf.if %less {
      "test.b"() : () -> ()
      scf.yield
    }
    scf.yield
  }
  "test.c"() : () -> ()
  scf.if %x5 {
    scf.if %x3 {
      "test.d"() : () -> ()
      scf.yield
    }
    "test.e"() : () -> ()
    scf.if %u5 {
      "test.f"() : () -> ()
      scf.yield
    }
    scf.yield
  }
  func.return
}

// Near miss: another number is compared.
// CHECK-LABEL: func.func @of_another_number
// CHECK-COUNT-2: scf.if
func.func @of_another_number(%x: i32, %y: i32) {
  %3 = arith.constant 3 : i32
  %5 = arith.constant 5 : i32
  %c = arith.cmpi slt, %x, %3 : i32
  %d = arith.cmpi slt, %y, %5 : i32
  scf.if %c {
    "test.b"() : () -> ()
    scf.if %d {
      "test.a"() : () -> ()
      scf.yield
    }
    scf.yield
  }
  func.return
}
