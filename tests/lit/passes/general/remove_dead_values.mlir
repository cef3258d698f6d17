// RUN: loomir-opt %s --allow-unregistered-dialect -p remove-dead-values | filecheck %s
// RUN: loomir-opt --remarks %s --allow-unregistered-dialect -p remove-dead-values -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// Each function is one thing that nothing needs, or a near miss. "test.*" is unknown, and so does something.

// CHECK-LABEL: func.func @operation
// CHECK-NEXT: func.return %x : i32
func.func @operation(%x: i32) -> i32 {
  %e = tensor.empty() : tensor<10xbf16>
  func.return %x : i32
}

// A counter that only counts, one of which something is made that nobody needs, and two that change places.
// CHECK-LABEL: func.func @counters
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (f32) {
// CHECK-NEXT: %0 = arith.mulf %v, %v : f32
// CHECK-NEXT: scf.yield %0 : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : f32
// REMARK-DAG: remove-dead-values: done: scf.for: removed dead arguments and results
func.func @counters(%n: index, %x: f32, %k: i32, %a: i32, %b: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %c = %k, %d = %k, %e = %a, %f = %b) -> (f32, i32, i32, i32, i32) {
    %0 = arith.mulf %v, %v : f32
    %1 = arith.addi %c, %one : i32
    %2 = arith.addi %d, %c : i32
    %3 = arith.muli %2, %e : i32
    scf.yield %0, %1, %2, %f, %e : f32, i32, i32, i32, i32
  }
  func.return %r#0 : f32
}

// Near miss: another value that is needed is made of the counter.
// CHECK-LABEL: func.func @counter_that_is_needed
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %r, %r_1 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %c = %k) -> (i32, i32) {
// CHECK-NEXT: %0 = arith.addi %c, %one : i32
// CHECK-NEXT: %1 = arith.muli %v, %c : i32
// CHECK-NEXT: scf.yield %1, %0 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @counter_that_is_needed(%n: index, %x: i32, %k: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %c = %k) -> (i32, i32) {
    %0 = arith.addi %c, %one : i32
    %1 = arith.muli %v, %c : i32
    scf.yield %1, %0 : i32, i32
  }
  func.return %r#0 : i32
}

// Through a nest and a branch.
// CHECK-LABEL: func.func @counter_in_a_nest
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (f32) {
// CHECK-NEXT: %s = scf.for %j = %c0 to %n step %c1 iter_args(%w = %v) -> (f32) {
// CHECK-NEXT: %0 = arith.mulf %w, %w : f32
// CHECK-NEXT: scf.yield %0 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : f32
func.func @counter_in_a_nest(%n: index, %x: f32, %k: i32, %p: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %c = %k) -> (f32, i32) {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%w = %v, %d = %c) -> (f32, i32) {
      %0 = arith.mulf %w, %w : f32
      %1 = scf.if %p -> (i32) {
        %2 = arith.addi %d, %one : i32
        scf.yield %2 : i32
      } else {
        scf.yield %d : i32
      }
      scf.yield %0, %1 : f32, i32
    }
    scf.yield %s#0, %s#1 : f32, i32
  }
  func.return %r#0 : f32
}

// Nobody needs the first result, but what it is handed on as is looked at.
// CHECK-LABEL: func.func @while_of_which_one_value_is_needed
// CHECK-NEXT: %r, %r_1 = scf.while (%b = %y) : (i32) -> (i32, i32) {
// CHECK-NEXT: %0 = arith.addi %b, %b : i32
// CHECK-NEXT: scf.condition(%p) %0, %b : i32, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%c: i32, %d: i32):
// CHECK-NEXT: %1 = arith.addi %d, %d : i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @while_of_which_one_value_is_needed(%p: i1, %x: i32, %y: i32) -> i32 {
  %r:3 = scf.while (%a = %x, %b = %y) : (i32, i32) -> (i32, i32, i32) {
    %0 = arith.addi %b, %b : i32
    %1 = arith.addi %a, %a : i32
    scf.condition(%p) %0, %b, %1 : i32, i32, i32
  } do {
  ^bb0(%c: i32, %d: i32, %e: i32):
    %0 = arith.addi %d, %d : i32
    scf.yield %e, %0 : i32, i32
  }
  func.return %r#0 : i32
}

// What changes places stays, and what is made of the third does not.
// CHECK-LABEL: func.func @while_of_values_that_change_places
// CHECK-NEXT: %r, %r_1 = scf.while (%a = %x, %b = %y) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT: scf.condition(%p) %b, %a : i32, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%d: i32, %e: i32):
// CHECK-NEXT: scf.yield %d, %e : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @while_of_values_that_change_places(%p: i1, %x: i32, %y: i32, %z: i32) -> i32 {
  %r:4 = scf.while (%a = %x, %b = %y, %c = %z) : (i32, i32, i32) -> (i32, i32, i32, i32) {
    %0 = arith.addi %c, %c : i32
    %1 = arith.muli %c, %c : i32
    scf.condition(%p) %b, %a, %0, %1 : i32, i32, i32, i32
  } do {
  ^bb0(%d: i32, %e: i32, %f: i32, %g: i32):
    %0 = arith.addi %f, %g : i32
    scf.yield %d, %e, %0 : i32, i32, i32
  }
  func.return %r#0 : i32
}

// Nothing needs the loop.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT: func.return
func.func @loop(%n: i32, %x: i32) {
  %one = arith.constant 1 : i32
  %r = scf.while (%a = %x) : (i32) -> i32 {
    %c = arith.cmpi slt, %a, %n : i32
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%a: i32):
    %0 = arith.addi %a, %one : i32
    scf.yield %0 : i32
  }
  func.return
}

// What a loop does stays, and so does what it is done with; its results go.
// CHECK-LABEL: func.func @loop_with_an_effect
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
// CHECK-NEXT: %0 = arith.addi %a, %one : i32
// CHECK-NEXT: memref.store %0, %m[] : memref<i32>
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @loop_with_an_effect(%n: index, %m: memref<i32>, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (i32, i32) {
    %0 = arith.addi %a, %one : i32
    %1 = arith.addi %b, %one : i32
    memref.store %0, %m[] : memref<i32>
    scf.yield %0, %1 : i32, i32
  }
  func.return
}

// A check is an effect.
// CHECK-LABEL: func.func @check
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
// CHECK-NEXT: %0 = arith.addi %a, %y : i32
// CHECK-NEXT: %1 = arith.cmpi ne, %0, %y : i32
// CHECK-NEXT: cf.assert %1, "limit: equal"
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @check(%n: index, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
    %0 = arith.addi %a, %y : i32
    %1 = arith.cmpi ne, %0, %y : i32
    cf.assert %1, "limit: equal"
    scf.yield %0 : i32
  }
  func.return
}

// CHECK-LABEL: func.func @results_of_a_branch
// CHECK-NEXT: %r = scf.if %p -> (i32) {
// CHECK-NEXT: %0 = arith.addi %x, %x : i32
// CHECK-NEXT: memref.store %0, %m[] : memref<i32>
// CHECK-NEXT: scf.yield %x : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = arith.muli %x, %x : i32
// CHECK-NEXT: %2 = arith.subi %x, %1 : i32
// CHECK-NEXT: scf.yield %2 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i32
func.func @results_of_a_branch(%p: i1, %m: memref<i32>, %x: i32) -> i32 {
  %r:2 = scf.if %p -> (i32, i32) {
    %0 = arith.addi %x, %x : i32
    memref.store %0, %m[] : memref<i32>
    scf.yield %0, %x : i32, i32
  } else {
    %0 = arith.muli %x, %x : i32
    %1 = arith.subi %x, %0 : i32
    scf.yield %0, %1 : i32, i32
  }
  func.return %r#1 : i32
}

// What is in the body of an operation that is needed stays.
// CHECK-LABEL: func.func @body_of_an_operation
// CHECK-NEXT: %z = arith.mulf %y, %y : f32
// CHECK-NEXT: %e = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%a: f32, %b: f32):
// CHECK-NEXT: %0 = arith.addf %a, %z : f32
// CHECK-NEXT: linalg.yield %0 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: func.return %r : tensor<4xf32>
func.func @body_of_an_operation(%x: tensor<4xf32>, %y: f32) -> tensor<4xf32> {
  %z = arith.mulf %y, %y : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %z : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// Near miss: what is unknown may have effects in a loop, too.
// CHECK-LABEL: func.func @unknown_in_a_loop
// CHECK-NEXT: scf.for
// CHECK-NEXT: "test.use"(%i) : (index) -> ()
func.func @unknown_in_a_loop(%n: index, %c0: index, %c1: index) {
  scf.for %i = %c0 to %n step %c1 {
    "test.use"(%i) : (index) -> ()
  }
  func.return
}
