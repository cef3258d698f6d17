// RUN: loomir-opt %s -p scf-if-sink | filecheck %s
// RUN: loomir-opt --remarks %s -p scf-if-sink -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// Two operations, of which one needs the other, into a branch in a branch.
// CHECK-LABEL: func.func @into_one_arm
// CHECK-NEXT:  %r = scf.if %c
// CHECK-NEXT:    %q = scf.if %d
// CHECK-NEXT:      %e = math.exp %x
// CHECK-NEXT:      %f = arith.addf %e, %e
// CHECK-NEXT:      scf.yield %f
// REMARK-DAG: scf-if-sink: done: scf.if: arith.addf moved into the only branch that needs it
func.func @into_one_arm(%c: i1, %d: i1, %x: f32) -> f32 {
  %e = math.exp %x : f32
  %f = arith.addf %e, %e : f32
  %r = scf.if %c -> (f32) {
    %q = scf.if %d -> (f32) {
      scf.yield %f : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %q : f32
  } else {
    scf.yield %x : f32
  }
  func.return %r : f32
}

// Near misses: needed in both arms, behind the branch, in a loop only; it may fail; a tensor.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT:  math.exp
// CHECK-NEXT:  math.sin
// CHECK-NEXT:  math.cos
// CHECK-NEXT:  arith.divsi
// CHECK-NEXT:  tensor.extract
// CHECK-NEXT:  scf.if
// REMARK-DAG: scf-if-sink: left: scf.if: only one branch needs arith.divsi, but it may fail
func.func @stays(%c: i1, %x: f32, %k: i32, %n: index, %t: tensor<4xf32>) -> (f32, i32, f32) {
  %both = math.exp %x : f32
  %behind = math.sin %x : f32
  %loop = math.cos %x : f32
  %fails = arith.divsi %k, %k : i32
  %of_tensor = tensor.extract %t[%n] : tensor<4xf32>
  %r, %s = scf.if %c -> (f32, i32) {
    %a = arith.addf %both, %behind : f32
    %b = arith.addf %a, %of_tensor : f32
    scf.yield %b, %fails : f32, i32
  } else {
    scf.yield %both, %k : f32, i32
  }
  %one = arith.constant 1 : index
  %sum = scf.for %i = %one to %n step %one iter_args(%v = %behind) -> (f32) {
    %w = arith.addf %v, %loop : f32
    scf.yield %w : f32
  }
  func.return %r, %s, %sum : f32, i32, f32
}
