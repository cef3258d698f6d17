// RUN: loomir-opt %s -p scf-loop-sink | filecheck %s
// RUN: loomir-opt %s -p scf-loop-sink,linalg-fuse-elementwise | filecheck %s --check-prefix=FUSED

// A square that one sum in the loop reads.
// CHECK-LABEL: func.func @square(
// CHECK-NOT:     linalg.generic
// CHECK:         scf.for
// CHECK-NEXT:      %[[E:.*]] = tensor.empty
// CHECK-NEXT:      %[[A:.*]] = linalg.generic {{.*}} ins(%p : tensor<4xf32>) outs(%[[E]] :
// CHECK:           linalg.generic {{.*}} ins(%v, %[[A]] :
// FUSED-LABEL: func.func @square(
// FUSED:         scf.for
// FUSED-NEXT:      linalg.generic {{.*}} ins(%v, %p :
// FUSED-NOT:     linalg.generic
// FUSED:       func.return
func.func @square(%n: index, %p: tensor<4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    linalg.yield %b0 : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xf32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%v : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    scf.yield %w : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// Into an inner loop.
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        tensor.empty
// CHECK-NEXT:        linalg.generic {{.*}} ins(%p :
func.func @nested(%n: index, %p: tensor<4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    linalg.yield %b0 : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xf32>) {
    %w = scf.for %j = %zero to %n step %one iter_args(%u = %v) -> (tensor<4x4xf32>) {
      %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%u, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%u : tensor<4x4xf32>) {
      ^bb0(%a0: f32, %a1: f32, %o: f32):
        %s = arith.addf %a0, %a1 : f32
        linalg.yield %s : f32
      } -> tensor<4x4xf32>
      scf.yield %y : tensor<4x4xf32>
    }
    scf.yield %w : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// Near misses: two operations read it;
// CHECK-LABEL: func.func @two_readers(
// CHECK:         linalg.generic {{.*}} ins(%p :
// CHECK:         scf.for
func.func @two_readers(%n: index, %p: tensor<4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    linalg.yield %b0 : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xf32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%v : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%w : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    scf.yield %z : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// its transpose is read;
// CHECK-LABEL: func.func @transposed(
// CHECK:         linalg.generic {{.*}} ins(%p :
// CHECK:         scf.for
func.func @transposed(%n: index, %p: tensor<4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    linalg.yield %b0 : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xf32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%v : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    scf.yield %w : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// what it reads is not smaller;
// CHECK-LABEL: func.func @not_smaller(
// CHECK:         linalg.generic {{.*}} ins(%q :
// CHECK:         scf.for
func.func @not_smaller(%n: index, %q: tensor<4x4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    linalg.yield %b0 : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xf32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%v : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    scf.yield %w : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// the loop overwrites what it reads;
// CHECK-LABEL: func.func @overwritten(
// CHECK:         linalg.generic {{.*}} ins(%p :
// CHECK:         linalg.generic {{.*}} ins(%q :
// CHECK:         scf.for
func.func @overwritten(%n: index, %p: tensor<4xf32>, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.addf %a0, %a0 : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    linalg.yield %b0 : f32
  } -> tensor<4x4xf32>
  %r, %s = scf.for %i = %zero to %n step %one iter_args(%v = %x, %u = %q) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%v : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%u : tensor<4xf32>) {
    ^bb0(%o: f32):
      %c = arith.addf %o, %o : f32
      linalg.yield %c : f32
    } -> tensor<4xf32>
    scf.yield %w, %t : tensor<4x4xf32>, tensor<4xf32>
  }
  func.return %r, %s : tensor<4x4xf32>, tensor<4xf32>
}

// it has more operations;
// CHECK-LABEL: func.func @five_operations(
// CHECK:         linalg.generic {{.*}} ins(%p :
// CHECK:         scf.for
func.func @five_operations(%n: index, %p: tensor<4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %b0 = arith.mulf %a0, %a0 : f32
    %b1 = arith.addf %b0, %a0 : f32
    %b2 = arith.addf %b1, %a0 : f32
    %b3 = arith.addf %b2, %a0 : f32
    %b4 = arith.addf %b3, %a0 : f32
    linalg.yield %b4 : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xf32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%v : tensor<4x4xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    scf.yield %w : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// it may fail, and the loop may not run.
// CHECK-LABEL: func.func @may_fail(
// CHECK:         linalg.generic {{.*}} ins(%p :
// CHECK:         scf.for
func.func @may_fail(%n: index, %p: tensor<4xi32>, %x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4xi32>) outs(%e : tensor<4x4xi32>) {
  ^bb0(%a0: i32, %o: i32):
    %b0 = arith.divsi %a0, %a0 : i32
    linalg.yield %b0 : i32
  } -> tensor<4x4xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<4x4xi32>) {
    %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v, %m : tensor<4x4xi32>, tensor<4x4xi32>) outs(%v : tensor<4x4xi32>) {
    ^bb0(%a0: i32, %a1: i32, %o: i32):
      %s = arith.addi %a0, %a1 : i32
      linalg.yield %s : i32
    } -> tensor<4x4xi32>
    scf.yield %w : tensor<4x4xi32>
  }
  func.return %r : tensor<4x4xi32>
}
