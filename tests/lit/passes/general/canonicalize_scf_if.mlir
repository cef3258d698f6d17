// RUN: loomir-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s
// Each function is one rewrite of `scf.if`, or a near miss. "test.*" is unknown, and so does something.

// Of two results one is unused, in a branch in a branch too.
// CHECK-LABEL: func.func @unused_result
// CHECK-NEXT: %s = scf.if %c -> (index) {
// CHECK-NEXT: %q = scf.if %d -> (index) {
// CHECK-NEXT: %0 = "test.a"() : () -> index
// CHECK-NEXT: %1 = "test.b"() : () -> index
// CHECK-NEXT: scf.yield %1 : index
// CHECK-NEXT: } else {
// CHECK-NEXT: %2 = "test.c"() : () -> index
// CHECK-NEXT: %3 = "test.d"() : () -> index
// CHECK-NEXT: scf.yield %3 : index
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %q : index
// CHECK-NEXT: } else {
// CHECK-NEXT: %4 = "test.e"() : () -> index
// CHECK-NEXT: %5 = "test.f"() : () -> index
// CHECK-NEXT: scf.yield %5 : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : index
func.func @unused_result(%c: i1, %d: i1) -> index {
  %r, %s = scf.if %c -> (index, index) {
    %p, %q = scf.if %d -> (index, index) {
      %0 = "test.a"() : () -> index
      %1 = "test.b"() : () -> index
      scf.yield %0, %1 : index, index
    } else {
      %0 = "test.c"() : () -> index
      %1 = "test.d"() : () -> index
      scf.yield %0, %1 : index, index
    }
    scf.yield %p, %q : index, index
  } else {
    %0 = "test.e"() : () -> index
    %1 = "test.f"() : () -> index
    scf.yield %0, %1 : index, index
  }
  func.return %s : index
}

// CHECK-LABEL: func.func @no_result_is_used
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @no_result_is_used(%c: i1, %x: index) {
  %r:2 = scf.if %c -> (index, index) {
    "test.a"() : () -> ()
    scf.yield %x, %x : index, index
  } else {
    "test.b"() : () -> ()
    scf.yield %x, %x : index, index
  }
  func.return
}

// CHECK-LABEL: func.func @nothing_in_it
// CHECK-NEXT: func.return
func.func @nothing_in_it(%c: i1) {
  scf.if %c {
  }
  scf.if %c {
  } else {
  }
  func.return
}

// CHECK-LABEL: func.func @nothing_in_the_else
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @nothing_in_the_else(%c: i1) {
  scf.if %c {
    "test.a"() : () -> ()
    scf.yield
  } else {
  }
  func.return
}

// A number that each arm takes from outside; what is equal needs no select.
// CHECK-LABEL: func.func @numbers_from_outside
// CHECK-NEXT: %r = arith.select %c, %x, %y : index
// CHECK-NEXT: %r_1 = arith.select %c, %y, %x : index
// CHECK-NEXT: func.return %r, %x, %r_1 : index, index, index
func.func @numbers_from_outside(%c: i1, %x: index, %y: index) -> (index, index, index) {
  %r:3 = scf.if %c -> (index, index, index) {
    scf.yield %x, %x, %y : index, index, index
  } else {
    scf.yield %y, %x, %x : index, index, index
  }
  func.return %r#0, %r#1, %r#2 : index, index, index
}

// CHECK-LABEL: func.func @numbers_from_outside_beside_an_effect
// CHECK-NEXT: %r = arith.select %c, %x, %y : i64
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i64
func.func @numbers_from_outside_beside_an_effect(%c: i1, %x: i64, %y: i64) -> i64 {
  %r = scf.if %c -> (i64) {
    "test.a"() : () -> ()
    scf.yield %x : i64
  } else {
    scf.yield %y : i64
  }
  func.return %r : i64
}

// Tensors are not selected: one would be copied.
// CHECK-LABEL: func.func @tensors_from_outside
// CHECK-NEXT: %r = scf.if %c -> (tensor<4xf32>) {
// CHECK-NEXT: scf.yield %x : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %y : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
func.func @tensors_from_outside(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @true_condition
// CHECK-NEXT: %r = "test.a"() : () -> i32
// CHECK-NEXT: "test.c"() : () -> ()
// CHECK-NEXT: func.return %r : i32
func.func @true_condition() -> i32 {
  %true = arith.constant true
  %r = scf.if %true -> (i32) {
    %0 = "test.a"() : () -> i32
    scf.yield %0 : i32
  } else {
    %0 = "test.b"() : () -> i32
    scf.yield %0 : i32
  }
  scf.if %true {
    "test.c"() : () -> ()
    scf.yield
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @false_condition
// CHECK-NEXT: %r = "test.b"() : () -> i32
// CHECK-NEXT: func.return %r : i32
func.func @false_condition() -> i32 {
  %false = arith.constant false
  %r = scf.if %false -> (i32) {
    %0 = "test.a"() : () -> i32
    scf.yield %0 : i32
  } else {
    %0 = "test.b"() : () -> i32
    scf.yield %0 : i32
  }
  scf.if %false {
    "test.c"() : () -> ()
    scf.yield
  }
  func.return %r : i32
}

// CHECK-LABEL: func.func @branch_in_a_branch
// CHECK-NEXT: %0 = arith.andi %a, %b : i1
// CHECK-NEXT: scf.if %0 {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @branch_in_a_branch(%a: i1, %b: i1) {
  scf.if %a {
    scf.if %b {
      "test.a"() : () -> ()
      scf.yield
    }
  }
  func.return
}

// Results change places, and where either branch is not taken they are the same.
// CHECK-LABEL: func.func @results_of_a_branch_in_a_branch
// CHECK-NEXT: %0 = arith.andi %a, %b : i1
// CHECK-NEXT: %r, %r_1 = scf.if %0 -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %1 = "test.a"() : () -> tensor<4xf32>
// CHECK-NEXT: %2 = "test.b"() : () -> tensor<4xf32>
// CHECK-NEXT: scf.yield %2, %1 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r_1 : tensor<4xf32>, tensor<4xf32>
func.func @results_of_a_branch_in_a_branch(%a: i1, %b: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.if %a -> (tensor<4xf32>, tensor<4xf32>) {
    %p:2 = scf.if %b -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = "test.a"() : () -> tensor<4xf32>
      %1 = "test.b"() : () -> tensor<4xf32>
      scf.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
    } else {
      scf.yield %x, %y : tensor<4xf32>, tensor<4xf32>
    }
    scf.yield %p#1, %p#0 : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: not the same where they are not taken.
// CHECK-LABEL: func.func @other_results_of_a_branch_in_a_branch
// CHECK-NEXT: %r = scf.if %a -> (tensor<4xf32>) {
// CHECK-NEXT: %p = scf.if %b -> (tensor<4xf32>) {
// CHECK-NEXT: %0 = "test.a"() : () -> tensor<4xf32>
// CHECK-NEXT: scf.yield %0 : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %p : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %y : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
func.func @other_results_of_a_branch_in_a_branch(%a: i1, %b: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %a -> (tensor<4xf32>) {
    %p = scf.if %b -> (tensor<4xf32>) {
      %0 = "test.a"() : () -> tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %p : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @unused_results_of_a_branch_in_a_branch
// CHECK-NEXT: %0 = arith.andi %a, %b : i1
// CHECK-NEXT: scf.if %0 {
// CHECK-NEXT: %1 = "test.a"() : () -> i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @unused_results_of_a_branch_in_a_branch(%a: i1, %b: i1, %x: i32) {
  scf.if %a {
    %p = scf.if %b -> (i32) {
      %0 = "test.a"() : () -> i32
      scf.yield %0 : i32
    } else {
      scf.yield %x : i32
    }
  }
  func.return
}

// CHECK-LABEL: func.func @number_beside_a_branch_in_a_branch
// CHECK-NEXT: %r = arith.select %a, %x, %y : i32
// CHECK-NEXT: %0 = arith.andi %a, %b : i1
// CHECK-NEXT: scf.if %0 {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @number_beside_a_branch_in_a_branch(%a: i1, %b: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.if %a -> (i32) {
    scf.if %b {
      "test.a"() : () -> ()
      scf.yield
    }
    scf.yield %x : i32
  } else {
    scf.yield %y : i32
  }
  func.return %r : i32
}

// Near miss: something else runs in the outer one.
// CHECK-LABEL: func.func @effect_beside_a_branch_in_a_branch
// CHECK-NEXT: scf.if %a {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: scf.if %b {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @effect_beside_a_branch_in_a_branch(%a: i1, %b: i1) {
  scf.if %a {
    "test.a"() : () -> ()
    scf.if %b {
      "test.b"() : () -> ()
      scf.yield
    }
  }
  func.return
}

// CHECK-LABEL: func.func @negated_condition
// CHECK-NEXT: %r = scf.if %c -> (index) {
// CHECK-NEXT: %0 = "test.b"() : () -> index
// CHECK-NEXT: scf.yield %0 : index
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = "test.a"() : () -> index
// CHECK-NEXT: scf.yield %1 : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : index
func.func @negated_condition(%c: i1) -> index {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  %r = scf.if %not -> (index) {
    %0 = "test.a"() : () -> index
    scf.yield %0 : index
  } else {
    %0 = "test.b"() : () -> index
    scf.yield %0 : index
  }
  func.return %r : index
}

// CHECK-LABEL: func.func @same_condition_around
// CHECK-NEXT: %r = scf.if %c -> (index) {
// CHECK-NEXT: %p = "test.a"() : () -> index
// CHECK-NEXT: scf.yield %p : index
// CHECK-NEXT: } else {
// CHECK-NEXT: %p_1 = "test.d"() : () -> index
// CHECK-NEXT: scf.yield %p_1 : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : index
func.func @same_condition_around(%c: i1) -> index {
  %r = scf.if %c -> (index) {
    %p = scf.if %c -> (index) {
      %0 = "test.a"() : () -> index
      scf.yield %0 : index
    } else {
      %0 = "test.b"() : () -> index
      scf.yield %0 : index
    }
    scf.yield %p : index
  } else {
    %p = scf.if %c -> (index) {
      %0 = "test.c"() : () -> index
      scf.yield %0 : index
    } else {
      %0 = "test.d"() : () -> index
      scf.yield %0 : index
    }
    scf.yield %p : index
  }
  func.return %r : index
}

// Also through a loop, and where the inner condition is the opposite of the outer one.
// CHECK-LABEL: func.func @opposite_condition_around
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.c"() : () -> ()
// CHECK-NEXT: "test.d"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @opposite_condition_around(%c: i1, %n: index) {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %not = arith.xori %c, %true : i1
  scf.if %c {
    scf.for %i = %c0 to %n step %c1 {
      scf.if %not {
        "test.a"() : () -> ()
        scf.yield
      }
      "test.b"() : () -> ()
      scf.yield
    }
  } else {
    "test.c"() : () -> ()
    scf.if %not {
      "test.d"() : () -> ()
      scf.yield
    }
  }
  func.return
}

// CHECK-LABEL: func.func @condition_as_result
// CHECK-NEXT: %0 = arith.constant true
// CHECK-NEXT: %r = arith.xori %c, %0 : i1
// CHECK-NEXT: %r_1 = scf.if %c -> (i32) {
// CHECK-NEXT: %1 = "test.a"() : () -> i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %2 = "test.b"() : () -> i32
// CHECK-NEXT: scf.yield %2 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_1, %c, %r, %c : i32, i1, i1, i1
func.func @condition_as_result(%c: i1) -> (i32, i1, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %r:4 = scf.if %c -> (i32, i1, i1, i1) {
    %0 = "test.a"() : () -> i32
    scf.yield %0, %true, %false, %c : i32, i1, i1, i1
  } else {
    %0 = "test.b"() : () -> i32
    scf.yield %0, %false, %true, %c : i32, i1, i1, i1
  }
  func.return %r#0, %r#1, %r#2, %r#3 : i32, i1, i1, i1
}

// CHECK-LABEL: func.func @same_value_in_both_arms
// CHECK-NEXT: %r = scf.if %c -> (i32) {
// CHECK-NEXT: %0 = "test.a"() : () -> i32
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = "test.b"() : () -> i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %x : i32, tensor<4xf32>
func.func @same_value_in_both_arms(%c: i1, %x: tensor<4xf32>) -> (i32, tensor<4xf32>) {
  %r:2 = scf.if %c -> (i32, tensor<4xf32>) {
    %0 = "test.a"() : () -> i32
    scf.yield %0, %x : i32, tensor<4xf32>
  } else {
    %0 = "test.b"() : () -> i32
    scf.yield %0, %x : i32, tensor<4xf32>
  }
  func.return %r#0, %r#1 : i32, tensor<4xf32>
}

// One result stands for two that are equal in each arm.
// CHECK-LABEL: func.func @equal_results
// CHECK-NEXT: %r = scf.if %c -> (i32) {
// CHECK-NEXT: %0 = "test.a"() : () -> i32
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = "test.b"() : () -> i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r : i32, i32
func.func @equal_results(%c: i1) -> (i32, i32) {
  %r:2 = scf.if %c -> (i32, i32) {
    %0 = "test.a"() : () -> i32
    scf.yield %0, %0 : i32, i32
  } else {
    %0 = "test.b"() : () -> i32
    scf.yield %0, %0 : i32, i32
  }
  func.return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: func.func @next_to_one_of_the_same_condition
// CHECK-NEXT: %r, %s = scf.if %c -> (i32, i32) {
// CHECK-NEXT: %r_1 = "test.a"() : () -> i32
// CHECK-NEXT: %0 = "test.c"(%r_1) : (i32) -> i32
// CHECK-NEXT: scf.yield %r_1, %0 : i32, i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = "test.b"() : () -> i32
// CHECK-NEXT: %1 = "test.d"(%r_2) : (i32) -> i32
// CHECK-NEXT: scf.yield %r_2, %1 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %s : i32, i32
func.func @next_to_one_of_the_same_condition(%c: i1) -> (i32, i32) {
  %r = scf.if %c -> (i32) {
    %0 = "test.a"() : () -> i32
    scf.yield %0 : i32
  } else {
    %0 = "test.b"() : () -> i32
    scf.yield %0 : i32
  }
  %s = scf.if %c -> (i32) {
    %0 = "test.c"(%r) : (i32) -> i32
    scf.yield %0 : i32
  } else {
    %0 = "test.d"(%r) : (i32) -> i32
    scf.yield %0 : i32
  }
  func.return %r, %s : i32, i32
}

// CHECK-LABEL: func.func @next_to_one_with_results
// CHECK-NEXT: %r = scf.if %c -> (i32) {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: %r_1 = "test.b"() : () -> i32
// CHECK-NEXT: "test.d"() : () -> ()
// CHECK-NEXT: scf.yield %r_1 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = "test.c"() : () -> i32
// CHECK-NEXT: scf.yield %r_2 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r : i32, i32
func.func @next_to_one_with_results(%c: i1) -> (i32, i32) {
  scf.if %c {
    "test.a"() : () -> ()
    scf.yield
  }
  %r = scf.if %c -> (i32) {
    %0 = "test.b"() : () -> i32
    scf.yield %0 : i32
  } else {
    %0 = "test.c"() : () -> i32
    scf.yield %0 : i32
  }
  scf.if %c {
    "test.d"() : () -> ()
    scf.yield
  }
  func.return %r, %r : i32, i32
}

// CHECK-LABEL: func.func @next_to_one_without_results
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @next_to_one_without_results(%c: i1) {
  scf.if %c {
    "test.a"() : () -> ()
    scf.yield
  }
  scf.if %c {
    "test.b"() : () -> ()
    scf.yield
  }
  func.return
}

// CHECK-LABEL: func.func @next_to_one_of_the_opposite_condition
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @next_to_one_of_the_opposite_condition(%c: i1) {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  scf.if %c {
    "test.a"() : () -> ()
    scf.yield
  }
  scf.if %not {
    "test.b"() : () -> ()
    scf.yield
  }
  func.return
}

// CHECK-LABEL: func.func @behind_one_of_the_opposite_condition
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @behind_one_of_the_opposite_condition(%c: i1) {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  scf.if %not {
    "test.a"() : () -> ()
    scf.yield
  }
  scf.if %c {
    "test.b"() : () -> ()
    scf.yield
  }
  func.return
}

// Near misses: another condition, something in between.
// CHECK-LABEL: func.func @next_to_one_of_another_condition
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.a"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %d {
// CHECK-NEXT: "test.b"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: "test.c"() : () -> ()
// CHECK-NEXT: scf.if %d {
// CHECK-NEXT: "test.d"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @next_to_one_of_another_condition(%c: i1, %d: i1) {
  scf.if %c {
    "test.a"() : () -> ()
    scf.yield
  }
  scf.if %d {
    "test.b"() : () -> ()
    scf.yield
  }
  "test.c"() : () -> ()
  scf.if %d {
    "test.d"() : () -> ()
    scf.yield
  }
  func.return
}

// In its second arm the condition is false; what an arm computes is not selected before it; what the inner second arm does stays.
// CHECK-LABEL: @of_the_second_arm
// CHECK-NEXT:  %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:  %r = scf.if %c
// CHECK:       } else {
// CHECK-NEXT:    "test.b"
// CHECK-NEXT:    scf.yield %[[FALSE]]
// CHECK:       %s = scf.if %d
// CHECK:         %[[V:.*]] = arith.mulf
// CHECK-NEXT:    scf.yield %[[V]]
// CHECK:       scf.if %c
// CHECK-NEXT:    scf.if %d
// CHECK:           "test.e"
// CHECK:         } else {
// CHECK-NEXT:      "test.f"
func.func @of_the_second_arm(%c: i1, %d: i1, %x: f32) -> (i1, f32) {
  %r = scf.if %c -> (i1) {
    %a = "test.a"() : () -> i1
    scf.yield %a : i1
  } else {
    "test.b"() : () -> ()
    scf.yield %c : i1
  }
  "test.c"() : () -> ()
  %s = scf.if %d -> (f32) {
    %v = arith.mulf %x, %x : f32
    scf.yield %v : f32
  } else {
    scf.yield %x : f32
  }
  "test.d"() : () -> ()
  scf.if %c {
    scf.if %d {
      "test.e"() : () -> ()
      scf.yield
    } else {
      "test.f"() : () -> ()
      scf.yield
    }
    scf.yield
  }
  func.return %r, %s : i1, f32
}

// A destination stays in its arm, unless what is computed in it is common too.
// CHECK-LABEL: func.func @destinations
// CHECK:      %e = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %f = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %r = scf.if %c -> (tensor<4xf32>) {
// CHECK-NEXT: %g = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %h = linalg.add ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%g : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: scf.yield %h : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %{{.*}} = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %{{.*}} = linalg.sub
func.func @destinations(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %g = tensor.empty() : tensor<4xf32>
    %h = linalg.add ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%g : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %h : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %g = tensor.empty() : tensor<4xf32>
    %h = linalg.sub ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%g : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %h : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
