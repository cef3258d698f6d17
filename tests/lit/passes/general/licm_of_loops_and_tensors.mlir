// RUN: loomir-opt %s --allow-unregistered-dialect -p licm | filecheck %s
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p licm -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// Each function is something that is the same in every iteration, or a near miss. "test.*" is unknown, and so does something.
#id = affine_map<(d0) -> (d0)>

// A chain out of two loops, and what needs the outer one out of the inner one.
// CHECK-LABEL: func.func @chain_out_of_two_loops
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.addf %a, %b : f32
// CHECK-NEXT: %1 = arith.mulf %0, %b : f32
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: %2 = arith.addi %i, %n : index
// CHECK-NEXT: scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT: %3 = arith.addi %2, %j : index
// CHECK-NEXT: "test.a"(%1, %2, %3) : (f32, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @chain_out_of_two_loops(%n: index, %a: f32, %b: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %0 = arith.addf %a, %b : f32
      %1 = arith.mulf %0, %b : f32
      %2 = arith.addi %i, %n : index
      %3 = arith.addi %2, %j : index
      "test.a"(%1, %2, %3) : (f32, index, index) -> ()
      scf.yield
    }
  }
  func.return
}

// A loop that is the same in every iteration of another; by a step that may be 0 it may not end.
// CHECK-LABEL: func.func @loop_in_a_loop
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %a) -> (f32) {
// CHECK-NEXT: %1 = arith.mulf %v, %v : f32
// CHECK-NEXT: scf.yield %1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: %2 = scf.for %j_1 = %c0 to %n step %s iter_args(%v_1 = %a) -> (f32) {
// CHECK-NEXT: %3 = arith.addf %v_1, %v_1 : f32
// CHECK-NEXT: scf.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: "test.a"(%0, %2) : (f32, f32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @loop_in_a_loop(%n: index, %s: index, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %a) -> (f32) {
      %1 = arith.mulf %v, %v : f32
      scf.yield %1 : f32
    }
    %2 = scf.for %j = %c0 to %n step %s iter_args(%v = %a) -> (f32) {
      %3 = arith.addf %v, %v : f32
      scf.yield %3 : f32
    }
    "test.a"(%0, %2) : (f32, f32) -> ()
    scf.yield
  }
  func.return
}

// A branch moves as a whole; what is in one stays in it.
// CHECK-LABEL: func.func @branch_in_a_loop
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = scf.if %c -> (f32) {
// CHECK-NEXT: %1 = arith.mulf %a, %a : f32
// CHECK-NEXT: scf.yield %1 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %a : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: %2 = arith.cmpi ult, %i, %c1 : index
// CHECK-NEXT: scf.if %2 {
// CHECK-NEXT: %3 = arith.addf %a, %a : f32
// CHECK-NEXT: "test.a"(%0, %3) : (f32, f32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// REMARK-DAG: licm: done: scf.for: hoisted scf.if
func.func @branch_in_a_loop(%n: index, %c: i1, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = scf.if %c -> (f32) {
      %1 = arith.mulf %a, %a : f32
      scf.yield %1 : f32
    } else {
      scf.yield %a : f32
    }
    %2 = arith.cmpi ult, %i, %c1 : index
    scf.if %2 {
      %3 = arith.addf %a, %a : f32
      "test.a"(%0, %3) : (f32, f32) -> ()
      scf.yield
    }
  }
  func.return
}

// Near miss: what is in the branch is made in the loop.
// CHECK-LABEL: func.func @branch_of_what_is_made_in_the_loop
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: %0 = "test.a"() : () -> f32
// CHECK-NEXT: %1 = scf.if %c -> (f32) {
// CHECK-NEXT: scf.yield %0 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %2 = arith.addf %0, %0 : f32
// CHECK-NEXT: scf.yield %2 : f32
// CHECK-NEXT: }
// CHECK-NEXT: "test.b"(%1) : (f32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @branch_of_what_is_made_in_the_loop(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = "test.a"() : () -> f32
    %1 = scf.if %c -> (f32) {
      scf.yield %0 : f32
    } else {
      %2 = arith.addf %0, %0 : f32
      scf.yield %2 : f32
    }
    "test.b"(%1) : (f32) -> ()
    scf.yield
  }
  func.return
}

// Out of both regions of a while; the first one surely runs, the second may not.
// CHECK-LABEL: func.func @while_loop
// CHECK-NEXT: %0 = tensor.extract %t[%k] : tensor<4xi32>
// CHECK-NEXT: %1 = arith.muli %a, %a : i32
// CHECK-NEXT: %r = scf.while (%v = %n) : (i32) -> i32 {
// CHECK-NEXT: %2 = arith.cmpi slt, %v, %0 : i32
// CHECK-NEXT: scf.condition(%2) %v : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%v_1: i32):
// CHECK-NEXT: %3 = arith.divsi %a, %n : i32
// CHECK-NEXT: %4 = arith.addi %1, %3 : i32
// CHECK-NEXT: %5 = arith.addi %v_1, %4 : i32
// CHECK-NEXT: scf.yield %5 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @while_loop(%n: i32, %a: i32, %t: tensor<4xi32>, %k: index) -> i32 {
  %r = scf.while (%v = %n) : (i32) -> i32 {
    %0 = tensor.extract %t[%k] : tensor<4xi32>
    %1 = arith.cmpi slt, %v, %0 : i32
    scf.condition(%1) %v : i32
  } do {
  ^bb0(%v: i32):
    %0 = arith.muli %a, %a : i32
    %1 = arith.divsi %a, %n : i32
    %2 = arith.addi %0, %1 : i32
    %3 = arith.addi %v, %2 : i32
    scf.yield %3 : i32
  }
  func.return %r : i32
}

// A loop that surely runs: a check moves, and what it is a check of, up to what may fail and stays.
// CHECK-LABEL: func.func @loop_that_surely_runs
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = arith.cmpi ult, %k, %c4 : index
// CHECK-NEXT: cf.assert %0, "index: out of range"
// CHECK-NEXT: %1 = tensor.extract %t[%k] : tensor<4xf32>
// CHECK-NEXT: %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (f32) {
// CHECK-NEXT: %2 = arith.cmpi ult, %i, %k : index
// CHECK-NEXT: cf.assert %2, "limit: too many"
// CHECK-NEXT: %3 = arith.remui %c4, %k : index
// CHECK-NEXT: %4 = tensor.extract %t[%3] : tensor<4xf32>
// CHECK-NEXT: %5 = arith.addf %1, %4 : f32
// CHECK-NEXT: %6 = arith.addf %v, %5 : f32
// CHECK-NEXT: scf.yield %6 : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : f32
func.func @loop_that_surely_runs(%t: tensor<4xf32>, %k: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (f32) {
    %0 = arith.cmpi ult, %k, %c4 : index
    cf.assert %0, "index: out of range"
    %1 = tensor.extract %t[%k] : tensor<4xf32>
    %2 = arith.cmpi ult, %i, %k : index
    cf.assert %2, "limit: too many"
    %3 = arith.remui %c4, %k : index
    %4 = tensor.extract %t[%3] : tensor<4xf32>
    %5 = arith.addf %1, %4 : f32
    %6 = arith.addf %v, %5 : f32
    scf.yield %6 : f32
  }
  func.return %r : f32
}

// Near misses: it may run no iteration; something is done before.
// CHECK-LABEL: func.func @check_that_may_not_be_come_to
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = arith.cmpi ult, %k, %c4 : index
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT: cf.assert %0, "index: out of range"
// CHECK-NEXT: }
// CHECK-NEXT: %1 = arith.cmpi ult, %k, %n : index
// CHECK-NEXT: scf.for %i_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT: "test.a"(%i_1) : (index) -> ()
// CHECK-NEXT: cf.assert %1, "index: out of range"
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @check_that_may_not_be_come_to(%n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.cmpi ult, %k, %c4 : index
    cf.assert %0, "index: out of range"
  }
  scf.for %i = %c0 to %c4 step %c1 {
    "test.a"(%i) : (index) -> ()
    %0 = arith.cmpi ult, %k, %n : index
    cf.assert %0, "index: out of range"
  }
  func.return
}

// A tensor, with the place that it is computed in and the view that it reads; what else is computed in that place stays.
// CHECK-LABEL: func.func @tensor
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %f = tensor.collapse_shape %a [[0 : i64, 1 : i64]] : tensor<2x2xf32> into tensor<4xf32>
// CHECK-NEXT: %e = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %0 = linalg.generic {{.*}} ins(%f : tensor<4xf32>) outs(%e : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%p: f32, %q: f32):
// CHECK-NEXT: %1 = math.exp %p : f32
// CHECK-NEXT: linalg.yield %1 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
// CHECK-NEXT: %e_1 = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %2 = linalg.generic {{.*}} ins(%0, %v : tensor<4xf32>, tensor<4xf32>) outs(%e_1 : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%p_1: f32, %q_1: f32, %s: f32):
// CHECK-NEXT: %3 = arith.mulf %p_1, %q_1 : f32
// CHECK-NEXT: linalg.yield %3 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: scf.yield %2 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
func.func @tensor(%n: index, %a: tensor<2x2xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = tensor.collapse_shape %a [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%f : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%0, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %3 = arith.mulf %p, %q : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// Near misses: a tensor that is handed on, and one that is computed into, would be copied in each iteration.
// CHECK-LABEL: func.func @tensors_that_are_overwritten
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r, %r_1 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %w = %x) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %e = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %0 = linalg.generic {{.*}} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%p: f32, %q: f32):
// CHECK-NEXT: %1 = math.exp %p : f32
// CHECK-NEXT: linalg.yield %1 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %2 = linalg.generic {{.*}} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%p_1: f32, %q_1: f32):
// CHECK-NEXT: %3 = arith.negf %p_1 : f32
// CHECK-NEXT: linalg.yield %3 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %4 = linalg.generic {{.*}} ins(%v : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%p_2: f32, %q_2: f32):
// CHECK-NEXT: %5 = arith.addf %p_2, %q_2 : f32
// CHECK-NEXT: linalg.yield %5 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: scf.yield %4, %0 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %r_1 : tensor<4xf32>, tensor<4xf32>
func.func @tensors_that_are_overwritten(%n: index, %a: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %w = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %3 = arith.negf %p : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %5 = arith.addf %p, %q : f32
      linalg.yield %5 : f32
    } -> tensor<4xf32>
    scf.yield %4, %0 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: it takes much more room than what it is made of.
// CHECK-LABEL: func.func @tensor_that_takes_room
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<65536xf32>) {
// CHECK-NEXT: %e = tensor.empty() : tensor<65536xf32>
// CHECK-NEXT: %0 = linalg.generic {{.*}} ins(%a : f32) outs(%e : tensor<65536xf32>) {
// CHECK-NEXT: ^bb0(%p: f32, %q: f32):
// CHECK-NEXT: %1 = math.exp %p : f32
// CHECK-NEXT: linalg.yield %1 : f32
// CHECK-NEXT: } -> tensor<65536xf32>
// CHECK-NEXT: %2 = linalg.generic {{.*}} ins(%0, %v : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
// CHECK-NEXT: ^bb0(%p_1: f32, %q_1: f32, %s: f32):
// CHECK-NEXT: %3 = arith.mulf %p_1, %q_1 : f32
// CHECK-NEXT: linalg.yield %3 : f32
// CHECK-NEXT: } -> tensor<65536xf32>
// CHECK-NEXT: scf.yield %2 : tensor<65536xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<65536xf32>
func.func @tensor_that_takes_room(%n: index, %a: f32, %x: tensor<65536xf32>) -> tensor<65536xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<65536xf32>) {
    %e = tensor.empty() : tensor<65536xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, #id], iterator_types = ["parallel"]} ins(%a : f32) outs(%e : tensor<65536xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    } -> tensor<65536xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%0, %v : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %3 = arith.mulf %p, %q : f32
      linalg.yield %3 : f32
    } -> tensor<65536xf32>
    scf.yield %2 : tensor<65536xf32>
  }
  func.return %r : tensor<65536xf32>
}
