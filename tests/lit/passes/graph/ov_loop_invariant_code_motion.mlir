// RUN: loomir-opt -p ov-loop-invariant-code-motion --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p 'ov-loop-invariant-code-motion' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt -p 'ov-loop-invariant-code-motion{max-bytes=8}' --split-input-file %s | filecheck %s --check-prefix=SMALL
// RUN: loomir-opt -p 'ov-loop-invariant-code-motion{max-bytes=40}' --split-input-file %s | filecheck %s --check-prefix=TOTAL
// RUN: loomir-opt --remarks -p 'ov-loop-invariant-code-motion{max-bytes=40}' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=KEPT

// Out of both loops, and what reads the outer one's value out of the inner one.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      %t = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
      %p = ov.multiply %e, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %u, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CHECK:      func.func @main
// CHECK-NEXT: %e = ov.exp %a
// CHECK-NEXT: %r = ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %t = ov.tanh %v
// CHECK-NEXT:   %p = ov.multiply %e, %t
// CHECK-NEXT:   %s = ov.loop
// CHECK-NEXT:   ^bb0
// CHECK-NEXT:     %w = ov.multiply %u, %p
// REMARK:     done: ov.exp: moved out of 2 loops (16 bytes)
// REMARK:     done: ov.tanh: moved out of a loop (16 bytes)
// SMALL:          ^bb0(%j
// SMALL-NEXT:       %e = ov.exp %a

// -----

// What may fail moves out of a loop that surely runs; behind another one that stays it stays.
func.func @main(%x: tensor<4xf32>, %a: tensor<?xf32>, %k: tensor<4xi64>) -> tensor<4xf32> {
  %n = ov.constant dense<9> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<?xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %f = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<?xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %h = ov.gather %g, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    %s = ov.add %h, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CHECK:      %g = ov.gather %a, %k
// CHECK-NEXT: ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %f = ov.gather %a, %i
// CHECK-NEXT:   %h = ov.gather %g, %k
// REMARK:     done: ov.gather: moved out of a loop (16 bytes)
// REMARK:     left: ov.gather: it may fail, and so may an operation that stays before it

// -----

// Out of a loop that may not run it moves under a guard, with what reads it, and what cannot fail before that.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %k: tensor<16xi64>, %x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<?x16xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop trip(%n) while(%c) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<?x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<16x16xf32>, tensor<16xi64>, tensor<i64>) -> tensor<16x16xf32>
    %h = ov.mat_mul %g, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %e = ov.exp %a : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = ov.mat_mul %v, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = ov.add %p, %e : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>) concat(%q : tensor<16x16xf32>)
  }
  func.return %r, %all : tensor<16x16xf32>, tensor<?x16xf32>
}
// CHECK:      %e = ov.exp %a
// CHECK:      %[[RUNS:.*]] = ov.not_equal %n, %{{.*}}
// CHECK-NEXT: %[[GO:.*]] = ov.logical_and %[[RUNS]], %c
// CHECK-NEXT: %r, %all = ov.if %[[GO]] -> (tensor<16x16xf32>, tensor<?x16xf32>) {
// CHECK-NEXT:   %g = ov.gather
// CHECK-NEXT:   %h = ov.mat_mul %g, %a
// CHECK-NEXT:   %[[R:.*]], %[[ALL:.*]] = ov.loop trip(%n) while(%c) carried(%x)
// CHECK-NEXT:   ^bb0
// CHECK-NEXT:     %p = ov.mat_mul %v, %h
// CHECK:        ov.yield %[[R]], %[[ALL]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[NONE:.*]] = ov.constant dense<> : tensor<0x16xf32>
// CHECK-NEXT:   ov.yield %x, %[[NONE]]
// REMARK:     done: ov.loop: guarded for operations that may fail (512 elements)

// -----

// A guard for a few elements is not worth it; a last value after no iteration would be a constant.
func.func @main(%n: tensor<i64>, %k: tensor<i64>, %x: tensor<f32>, %a: tensor<4xf32>, %l: tensor<64xi64>) -> (tensor<f32>, tensor<64xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  %s = ov.loop trip(%n) : (tensor<i64>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>):
    %g = ov.gather %a, %l, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
    ov.next last(%g : tensor<64xf32>)
  }
  func.return %r, %s : tensor<f32>, tensor<64xf32>
}
// CHECK:      %r = ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %g = ov.gather
// CHECK:      %s = ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %g{{.*}} = ov.gather
// REMARK:     left: ov.loop: no guard for operations that may fail: 1 elements are fewer than 64
// REMARK:     left: ov.gather: it may fail, the loop may not run, and its result then has an unknown rank or takes memory

// -----

// A result that is much larger than what it is made of is computed where it is used; a limit says otherwise.
func.func @main(%n: tensor<i64>, %x: tensor<200x200xf32>, %a: tensor<f32>) -> tensor<200x200xf32> {
  %shape = ov.constant dense<200> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<200x200xf32>) -> tensor<200x200xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<200x200xf32>):
    %b = ov.broadcast %a, %shape : (tensor<f32>, tensor<2xi64>) -> tensor<200x200xf32>
    %w = ov.add %v, %b : (tensor<200x200xf32>, tensor<200x200xf32>) -> tensor<200x200xf32>
    ov.next carried(%w : tensor<200x200xf32>)
  }
  func.return %r : tensor<200x200xf32>
}
// CHECK:      ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %b = ov.broadcast
// REMARK:     left: ov.broadcast: it computes 160000 bytes from 20
// SMALL:        %b = ov.broadcast

// -----

// Nothing is taken out of a branch, nor what has an effect out of a loop; a branch moves as a whole.
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.if %c -> (tensor<4xf32>) {
      %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
      %e = ov.add %a, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      ov.yield %e : tensor<4xf32>
    } else {
      ov.yield %a : tensor<4xf32>
    }
    %t = ov.if %c -> (tensor<4xf32>) {
      %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      %f = ov.multiply %e, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield %f : tensor<4xf32>
    } else {
      ov.yield %s : tensor<4xf32>
    }
    ov.next carried(%t : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CHECK:      func.func @main
// CHECK-NEXT: %s = ov.if %c
// CHECK-NEXT:   ov.constant
// CHECK:      ov.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %t = ov.if %c
// CHECK-NEXT:     %{{.*}} = ov.exp %a

// -----

// Of 40 bytes for all that a loop is kept for, a chain takes 16, its last value; beside one more of 16 there is no room for a third.
func.func @total(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %c = ov.cos %t : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.sin %a : (tensor<4xf32>) -> tensor<4xf32>
    %b = ov.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.multiply %v, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %q, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @total
// TOTAL-LABEL: @total
// TOTAL-NEXT:  ov.exp
// TOTAL-NEXT:  ov.tanh
// TOTAL-NEXT:  ov.cos
// TOTAL-NEXT:  ov.sin
// TOTAL-NEXT:  ov.loop
// TOTAL:         ov.abs
// KEPT:        left: ov.abs: 48 bytes are more than 40

// -----

// That there is no first part, or that parts do not fit, is the first error, and not what each iteration gathers.
// CHECK-LABEL: @cutting_may_fail
// CHECK-NOT:   ov.gather
// CHECK:       ov.loop
// CHECK:         ov.gather
// CHECK:       ov.loop
// CHECK:         ov.gather
// REMARK-COUNT-2: left: ov.gather: it may fail, and so may the slicing of the loop's inputs
func.func @cutting_may_fail(%n: tensor<i64>, %k: tensor<64xi64>, %a: tensor<4xf32>, %x: tensor<64xf32>, %y: tensor<?x64xf32>,
                            %z: tensor<0x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) sliced(%y) {slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>]}
      : (tensor<i64>, tensor<64xf32>, tensor<?x64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>, %p: tensor<2x64xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
    %w = ov.add %v, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ov.next carried(%w : tensor<64xf32>)
  }
  %s = ov.loop trip(%n) carried(%x) sliced(%z) {slices = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<64xf32>, tensor<0x64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>, %p: tensor<1x64xf32>):
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
    %w = ov.add %v, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ov.next carried(%w : tensor<64xf32>)
  }
  func.return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// -----

// A trip count of 0 is asked for as any other.
// CHECK-LABEL: @no_trip
// CHECK:       %[[ZERO:.*]] = ov.constant dense<0> : tensor<i64>
// CHECK:       %[[COMES:.*]] = ov.not_equal
// CHECK:       ov.if %[[COMES]]
// CHECK:         ov.gather
// CHECK:         ov.loop
func.func @no_trip(%k: tensor<64xi64>, %a: tensor<4xf32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%zero) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>):
    %g = ov.gather %a, %k, %zero {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
    %w = ov.add %v, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ov.next carried(%w : tensor<64xf32>)
  }
  func.return %r : tensor<64xf32>
}

// -----

// Of what is kept what is read in the loop yet: %e by two products. Neither has room beside it and %t.
func.func @still_read(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.sin %a : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.multiply %p, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %q, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: @still_read
// TOTAL-LABEL: @still_read
// TOTAL-NEXT:  ov.exp
// TOTAL-NEXT:  ov.tanh
// TOTAL-NEXT:  ov.loop
// TOTAL:         ov.sin

// -----

// What may fail stays behind what may fail and reads the number of the iteration, whatever stands in between.
// CHECK-LABEL: @behind_another
// CHECK-NOT:   ov.gather
// CHECK:       ov.loop
// CHECK:         ov.gather %a, %i
// CHECK:         ov.gather %a, %k
// REMARK:      left: ov.gather: it may fail, and so may an operation that stays before it
func.func @behind_another(%n: tensor<i64>, %k: tensor<64xi64>, %a: tensor<4xf32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>):
    %f = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
    %u = ov.add %v, %f : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %g = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
    %w = ov.add %u, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ov.next carried(%w : tensor<64xf32>)
  }
  func.return %r : tensor<64xf32>
}

// -----

// A branch may fail because of its first arm alone.
// CHECK-LABEL: @first_arm_may_fail
// CHECK:       ov.not_equal %n
// CHECK-NEXT:  ov.if
// CHECK-NEXT:    ov.if %c
// CHECK-NEXT:      ov.gather
func.func @first_arm_may_fail(%n: tensor<i64>, %c: tensor<i1>, %k: tensor<64xi64>, %a: tensor<4xf32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<64xf32>):
    %g = ov.if %c -> (tensor<64xf32>) {
      %h = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
      ov.yield %h : tensor<64xf32>
    } else {
      ov.yield %x : tensor<64xf32>
    }
    %w = ov.add %v, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ov.next carried(%w : tensor<64xf32>)
  }
  func.return %r : tensor<64xf32>
}

// -----

// What stands under the guard of the inner loop reads the outer one, though nothing else there does.
// CHECK-LABEL: @guarded_reads
// CHECK:       ov.loop trip(%m)
// CHECK:         ov.if
// CHECK-NEXT:      ov.gather %a, %o
// CHECK-NEXT:      ov.loop trip(%n)
func.func @guarded_reads(%m: tensor<i64>, %n: tensor<i64>, %k: tensor<64xi64>, %a: tensor<4xf32>, %x: tensor<64xf32>, %y: tensor<64xi64>) -> tensor<64xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %s, %p = ov.loop trip(%m) carried(%x, %y) : (tensor<i64>, tensor<64xf32>, tensor<64xi64>) -> (tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%j: tensor<i64>, %u: tensor<64xf32>, %o: tensor<64xi64>):
    %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb1(%i: tensor<i64>, %v: tensor<64xf32>):
      %g = ov.gather %a, %o, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<64xi64>, tensor<i64>) -> tensor<64xf32>
      %w = ov.add %v, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      ov.next carried(%w : tensor<64xf32>)
    }
    %t = ov.add %u, %r : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %q = ov.add %o, %y : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi64>
    ov.next carried(%t, %q : tensor<64xf32>, tensor<64xi64>)
  }
  func.return %s : tensor<64xf32>
}
