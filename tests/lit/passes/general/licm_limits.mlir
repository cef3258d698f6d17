// What may stop the program under a guard, and how much room may be kept.
// RUN: loomir-opt %s -p 'licm{guard=true}' | filecheck %s
// RUN: loomir-opt %s -p licm | filecheck %s --check-prefix=PLAIN
// RUN: loomir-opt %s -p 'licm{max-bytes=40}' | filecheck %s --check-prefix=BYTES
// RUN: loomir-opt %s -p 'licm{max-bytes=40}' --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @division
// CHECK:      %[[RUNS:.*]] = arith.cmpi slt, %l, %u : index
// CHECK-NEXT: %r = scf.if %[[RUNS]] -> (i32) {
// CHECK-NEXT:   %d = arith.divsi %a, %b : i32
// CHECK-NEXT:   %[[R:.*]] = scf.for
// CHECK:        scf.yield %[[R]] : i32
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %a : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r
// PLAIN-LABEL: func.func @division
// PLAIN:      scf.for
// PLAIN-NEXT:   arith.divsi
// REMARK-DAG: licm: left: scf.for: arith.divsi may fail, and the loop may not run
func.func @division(%l: index, %u: index, %a: i32, %b: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %l to %u step %c1 iter_args(%v = %a) -> (i32) {
    %d = arith.divsi %a, %b : i32
    %w = arith.addi %v, %d : i32
    scf.yield %w : i32
  }
  func.return %r : i32
}

// Near misses: something that may stop the program stays before it; what may stop it reads the loop.
// CHECK-LABEL: func.func @not_guarded
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: scf.for
// CHECK: func.return
func.func @not_guarded(%l: index, %u: index, %a: i32, %b: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %l to %u step %c1 iter_args(%v = %a) -> (i32) {
    %d = arith.divsi %v, %b : i32
    %e = arith.divsi %a, %b : i32
    %w = arith.addi %e, %d : i32
    scf.yield %w : i32
  }
  %s = scf.for %i = %l to %u step %c1 iter_args(%v = %a) -> (i32) {
    %w = arith.addi %v, %b : i32
    scf.yield %w : i32
  }
  func.return %r, %s : i32, i32
}

// A branch around it, or the ranges of its bounds, say that it runs. Near miss: a branch that asks something else.
// PLAIN-LABEL: func.func @asked_around
// PLAIN:      scf.if %c
// PLAIN-NEXT:   arith.divsi
// PLAIN-NEXT:   scf.for
// PLAIN:      arith.remsi
// PLAIN-NEXT: scf.for
// PLAIN:      scf.if %d
// PLAIN-NEXT:   scf.for
// PLAIN-NEXT:     arith.divsi
func.func @asked_around(%l: index, %u: index, %a: i32, %b: i32) -> (i32, i32, i32) {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %seven = arith.constant 7 : index
  %low = arith.andi %l, %seven : index
  %c = arith.cmpi sgt, %u, %l : index
  %d = arith.cmpi sle, %l, %u : index
  %r = scf.if %c -> (i32) {
    %s = scf.for %i = %l to %u step %c1 iter_args(%v = %a) -> (i32) {
      %e = arith.divsi %a, %b : i32
      %w = arith.addi %v, %e : i32
      scf.yield %w : i32
    }
    scf.yield %s : i32
  } else {
    scf.yield %a : i32
  }
  %t = scf.for %i = %low to %c9 step %c1 iter_args(%v = %a) -> (i32) {
    %e = arith.remsi %a, %b : i32
    %w = arith.addi %v, %e : i32
    scf.yield %w : i32
  }
  %q = scf.if %d -> (i32) {
    %s = scf.for %i = %l to %u step %c1 iter_args(%v = %a) -> (i32) {
      %e = arith.divsi %a, %b : i32
      %w = arith.addi %v, %e : i32
      scf.yield %w : i32
    }
    scf.yield %s : i32
  } else {
    scf.yield %a : i32
  }
  func.return %r, %t, %q : i32, i32, i32
}

// Of two tensors of 32 bytes one moves within 40 bytes; both without a limit.
// PLAIN-LABEL: func.func @bytes
// PLAIN:      math.exp
// PLAIN:      math.sin
// PLAIN:      scf.for
// BYTES-LABEL: func.func @bytes
// BYTES:      math.exp
// BYTES:      scf.for
// BYTES:      math.sin
// REMARK-DAG: licm: left: scf.for: linalg.generic stays: 64 bytes are more than 40
func.func @bytes(%n: index, %t: tensor<8xf32>, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zero) -> (f32) {
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32):
      %0 = math.exp %p : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %f = tensor.empty() : tensor<8xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32):
      %0 = math.sin %p : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %x = tensor.extract %a[%i] : tensor<8xf32>
    %y = tensor.extract %b[%i] : tensor<8xf32>
    %z = arith.addf %x, %y : f32
    %w = arith.addf %v, %z : f32
    scf.yield %w : f32
  }
  func.return %r : f32
}

// What may fail goes under the guard of the inner loop, with what reads it; what cannot leaves both loops.
// A check is guarded, too.
// CHECK-LABEL: func.func @guarded_in_a_loop
// CHECK:      %[[M:.*]] = arith.mulf %y, %y : f32
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi slt, %l, %u : index
// CHECK-NEXT: scf.for %i
// CHECK-NEXT:   %[[OK:.*]] = arith.cmpi ult, %i, %k : index
// CHECK-NEXT:   scf.if %[[RUNS]] -> (f32) {
// CHECK-NEXT:     cf.assert %[[OK]], "limit: too many"
// CHECK-NEXT:     %[[E:.*]] = tensor.extract %t[%i]
// CHECK-NEXT:     %[[P:.*]] = arith.mulf %[[E]], %[[M]] : f32
// CHECK-NEXT:     scf.for %j
func.func @guarded_in_a_loop(%l: index, %u: index, %k: index, %y: f32, %t: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %y) -> (f32) {
    %s = scf.for %j = %l to %u step %c1 iter_args(%w = %v) -> (f32) {
      %m = arith.mulf %y, %y : f32
      %ok = arith.cmpi ult, %i, %k : index
      cf.assert %ok, "limit: too many"
      %e = tensor.extract %t[%i] : tensor<?xf32>
      %p = arith.mulf %e, %m : f32
      %z = arith.addf %w, %p : f32
      scf.yield %z : f32
    }
    scf.yield %s : f32
  }
  func.return %r : f32
}
