// RUN: loomir-opt %s -p ov-loop-closed-forms --check-each-pass | filecheck %s
// RUN: loomir-opt %s -p ov-loop-closed-forms{affine=false} | filecheck %s --check-prefix=SMALL
// RUN: loomir-opt %s -p ov-loop-closed-forms --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// The sum of the iteration numbers: n (n - 1) / 2.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:   ov.loop
// CHECK:       %[[N:.*]] = ov.maximum %n
// CHECK:       %[[HALF:.*]] = ov.divide %[[N]]
// CHECK:       %[[SUM:.*]] = ov.multiply %[[HALF]]
// CHECK-NEXT:  %r = ov.add %k, %[[SUM]]
// CHECK-NEXT:  func.return %r
// REMARK-DAG:  remark: ov-loop-closed-forms: done: ov.loop: computed 1 final values from its trip count
func.func @sum(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.add %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// Sums of sums of multiples, and a difference; of known trips: 7 over 1 is 7, over 2 is 21, over 3 is 35.
// CHECK-LABEL: func.func @of_known_trips
// CHECK-NOT:   ov.loop
// CHECK:       %r = ov.constant dense<63> : tensor<i64>
// CHECK:       %[[MINUS:.*]] = ov.subtract %{{.*}}, %k
// CHECK-NEXT:  %[[SEVEN:.*]] = ov.constant dense<7> : tensor<i64>
// CHECK-NEXT:  %[[K:.*]] = ov.multiply %[[MINUS]], %[[SEVEN]]
// CHECK:       ov.constant dense<105> : tensor<i64>
// CHECK:       %s = ov.add %[[K]]
// CHECK-NEXT:  func.return %s, %r
func.func @of_known_trips(%k: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %n = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%zero, %zero) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %u: tensor<i64>, %v: tensor<i64>):
    %m = ov.multiply %three, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t = ov.add %u, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.add %v, %u : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %x = ov.subtract %w, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%t, %x : tensor<i64>, tensor<i64>)
  }
  func.return %s, %r : tensor<i64>, tensor<i64>
}

// 32 bits: the low ones of the numbers.
// CHECK-LABEL: func.func @of_32_bits
// CHECK-NOT:   ov.loop
// CHECK:       ov.convert {{.*}} {destination_type = i32} : (tensor<i64>) -> tensor<i32>
func.func @of_32_bits(%n: tensor<i64>, %k: tensor<4xi32>) -> tensor<4xi32> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %number = ov.convert %i {destination_type = i32} : (tensor<i64>) -> tensor<i32>
    %w = ov.add %v, %number : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// Unsigned: the factor of what is subtracted wraps.
// CHECK-LABEL: func.func @unsigned
// CHECK-NOT:   ov.loop
// CHECK:       ov.constant dense<254> : tensor<ui8>
func.func @unsigned(%n: tensor<i64>, %k: tensor<ui8>) -> tensor<ui8> {
  %two = ov.constant dense<2> : tensor<ui8> : tensor<ui8>
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<ui8>) -> tensor<ui8> {
  ^bb0(%i: tensor<i64>, %v: tensor<ui8>):
    %w = ov.subtract %v, %two : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
    ov.next carried(%w : tensor<ui8>)
  }
  func.return %r : tensor<ui8>
}

// A product is a power.
// CHECK-LABEL: func.func @product
// CHECK-NOT:   ov.loop
// CHECK:       %[[P:.*]] = ov.power %b
// CHECK-NEXT:  %r = ov.multiply %k, %[[P]]
func.func @product(%n: tensor<i64>, %k: tensor<i64>, %b: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.multiply %v, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// Once is enough, if there is a trip; of two operands too.
// CHECK-LABEL: func.func @idempotent
// CHECK-NOT:   ov.loop
// CHECK:       %[[RUN:.*]] = ov.not_equal %n
// CHECK-NEXT:  %r = ov.if %[[RUN]] -> (tensor<4xf32>) {
// CHECK-NEXT:    %[[A:.*]] = ov.maximum %x, %b
// CHECK-NEXT:    %[[B:.*]] = ov.maximum %c, %[[A]]
// CHECK-NEXT:    ov.yield %[[B]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %x
func.func @idempotent(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.maximum %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %t = ov.maximum %c, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%t : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// Near misses. Products of floats are rounded; the body needs the sum; a product of 32 bits of that many trips; degree 4; a loop that a
// condition may end; one that negates.
// CHECK-LABEL: func.func @floats
// CHECK:       ov.loop
func.func @floats(%k: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %n = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.multiply %v, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @needed
// CHECK-NEXT:  %r, %s = ov.loop
// CHECK:       func.return %r, %s
// REMARK-DAG:  remark: ov-loop-closed-forms: left: ov.loop: no final value is a function of its trip count, or the body needs it
func.func @needed(%n: tensor<i64>, %k: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %r, %s = ov.loop trip(%n) carried(%k, %k) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>, %u: tensor<i64>):
    %w = ov.add %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = ov.multiply %u, %u : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %x = ov.add %m, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w, %x : tensor<i64>, tensor<i64>)
  }
  func.return %r, %s : tensor<i64>, tensor<i64>
}

// CHECK-LABEL: func.func @power_of_32_bits
// CHECK:       ov.loop
func.func @power_of_32_bits(%n: tensor<i64>, %k: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i32>) -> tensor<i32> {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>):
    %w = ov.multiply %v, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.next carried(%w : tensor<i32>)
  }
  func.return %r : tensor<i32>
}

// CHECK-LABEL: func.func @degree_4
// CHECK:       %[[D:.*]] = ov.loop trip(%n) carried(%k, %k, %k)
func.func @degree_4(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %p, %q, %r = ov.loop trip(%n) carried(%k, %k, %k) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %u: tensor<i64>, %v: tensor<i64>, %w: tensor<i64>):
    %a = ov.add %u, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = ov.add %v, %u : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.add %w, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%a, %b, %c : tensor<i64>, tensor<i64>, tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// CHECK-LABEL: func.func @ended_by_a_condition
// CHECK:       ov.loop
// REMARK-DAG:  remark: ov-loop-closed-forms: left: ov.loop: its trip count is not known before it
func.func @ended_by_a_condition(%n: tensor<i64>, %k: tensor<i64>, %most: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.add %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.less %w, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%c) carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// CHECK-LABEL: func.func @negates
// CHECK:       ov.loop
func.func @negates(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.subtract %i, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// A value that is read twice is computed once: of (i + k) · 2⁵, the multiple of k takes five sums.
// CHECK-LABEL:   func.func @of_values_read_twice
// CHECK-COUNT-5: ov.add
// CHECK-NOT:     ov.add
// CHECK:         %[[BY_K:.*]] = ov.multiply
// CHECK:         ov.add %k, %[[BY_K]]
// CHECK:         %r = ov.add
// CHECK-NEXT:    func.return %r
func.func @of_values_read_twice(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %d = ov.add %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d0 = ov.add %d, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d1 = ov.add %d0, %d0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d2 = ov.add %d1, %d1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d3 = ov.add %d2, %d2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d4 = ov.add %d3, %d3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.add %v, %d4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// No trip, no error: extents that do not fit stop the program in the first trip only.
// CHECK-LABEL: func.func @product_that_may_fail
// CHECK-NOT:   ov.loop
// CHECK:       ov.if
// CHECK:       ov.power
// CHECK:       ov.yield %k
func.func @product_that_may_fail(%n: tensor<i64>, %k: tensor<4xi64>, %x: tensor<?xi64>) -> tensor<4xi64> {
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %w = ov.multiply %v, %x : (tensor<4xi64>, tensor<?xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// Where a trip surely comes, the error is the same.
// CHECK-LABEL: func.func @product_that_fails_in_any_case
// CHECK-NOT:   ov.loop
// CHECK:       ov.power
func.func @product_that_fails_in_any_case(%n: tensor<i64>, %k: tensor<4xi64>, %x: tensor<?xi64>) -> tensor<4xi64> {
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%seven) carried(%k) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %w = ov.multiply %v, %x : (tensor<4xi64>, tensor<?xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// Of unknown rank: the operand is a scalar, so each trip keeps the shape.
// CHECK-LABEL: func.func @maximum_of_unknown_rank
// CHECK-NOT:   ov.loop
// CHECK:       ov.if %{{.*}} -> (tensor<*xf32>)
// CHECK:       ov.maximum %x
func.func @maximum_of_unknown_rank(%n: tensor<i64>, %x: tensor<*xf32>) -> tensor<*xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<*xf32>) -> tensor<*xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
    %w = ov.maximum %v, %zero : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
    ov.next carried(%w : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}

// A product of unknown rank with a power.
// CHECK-LABEL: func.func @product_of_unknown_rank
// CHECK-NOT:   ov.loop
// CHECK:       ov.power
// CHECK-NEXT:  ov.multiply {{.*}} -> tensor<*xi64>
func.func @product_of_unknown_rank(%x: tensor<*xi64>, %k: tensor<i64>) -> tensor<*xi64> {
  %n = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<*xi64>) -> tensor<*xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<*xi64>):
    %w = ov.multiply %v, %k : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
    ov.next carried(%w : tensor<*xi64>)
  }
  func.return %r : tensor<*xi64>
}

// An affine function, n times: its powers by the bits of n.
// CHECK-LABEL: func.func @affine
// CHECK:       %[[N:.*]] = ov.maximum %n
// CHECK:       %{{.*}}, %[[A:.*]], %[[B:.*]], %{{.*}}, %{{.*}} = ov.loop trip(%{{.*}}) while(%{{.*}}) carried(%[[N]], {{.*}}) : (tensor<i64>, tensor<i1>, tensor<i64>, tensor<i32>
// CHECK:       %[[PRODUCT:.*]] = ov.multiply %x, %[[A]]
// CHECK-NEXT:  %r = ov.add %[[PRODUCT]], %[[B]]
// CHECK-NEXT:  func.return %r
// SMALL-LABEL: func.func @affine
// SMALL:       ov.loop trip(%n) carried(%x)
func.func @affine(%n: tensor<i64>, %x: tensor<4xi32>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<4xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %m = ov.multiply %v, %a : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %w = ov.subtract %b, %m : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// Of known numbers, 3 v + 5 five times: 243 v + 605.
// CHECK-LABEL: func.func @affine_of_known_numbers
// CHECK-NOT:   ov.loop
// CHECK:       ov.constant dense<243>
// CHECK:       ov.constant dense<605>
// CHECK:       func.return
func.func @affine_of_known_numbers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i32> : tensor<i32>
  %five = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %m = ov.multiply %v, %three : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %w = ov.add %m, %five : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// A limited ReLU and a rounding are done once, if there is a trip.
// CHECK-LABEL: func.func @idempotent_chain
// CHECK-NOT:   ov.loop
// CHECK:       ov.if
// CHECK-NEXT:  %[[T:.*]] = ov.relu %x
// CHECK-NEXT:  %[[C:.*]] = ov.clamp %[[T]]
// CHECK-NEXT:  %[[W:.*]] = ov.floor %[[C]]
// CHECK-NEXT:  ov.yield %[[W]]
func.func @idempotent_chain(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
    %t = ov.relu %v : (tensor<?xf32>) -> tensor<?xf32>
    %c = ov.clamp %t {min = -6.0 : f64, max = 6.0 : f64} : (tensor<?xf32>) -> tensor<?xf32>
    %w = ov.floor %c : (tensor<?xf32>) -> tensor<?xf32>
    ov.next carried(%w : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// Limits between integers: 0.5 becomes 0, which is limited to 0.5 again; no proof is there for it.
// CHECK-LABEL: func.func @rounded_limits
// CHECK:       ov.loop
func.func @rounded_limits(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %c = ov.clamp %v {min = 0.5 : f64, max = 6.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.floor %c : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// −3 becomes 0 by the ReLU; the minimum of 0 and −0 is −0, which the ReLU leaves.
// CHECK-LABEL: func.func @zeros_of_both_signs
// CHECK:       ov.loop
func.func @zeros_of_both_signs(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<f32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %c = ov.minimum %v, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.relu %c : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// Slices of an open axis: perhaps there is none.
// CHECK-LABEL: func.func @idempotent_over_slices
// CHECK:       ov.shape_of %x
// CHECK:       ov.if
// CHECK:       ov.maximum %k, %b
func.func @idempotent_over_slices(%x: tensor<?x4xf32>, %k: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop carried(%k) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// Of open extents, which may not fit, in a branch; a product with 0 has the extents of both.
// CHECK-LABEL: func.func @sum_of_open_extents
// CHECK-NOT:   ov.loop
// CHECK:       ov.if
// CHECK:       ov.multiply %b
// CHECK:       ov.add %x
// CHECK:       ov.yield %x
func.func @sum_of_open_extents(%n: tensor<i64>, %x: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<?xi64>):
    %m = ov.multiply %b, %zero : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    %w = ov.add %v, %m : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    ov.next carried(%w : tensor<?xi64>)
  }
  func.return %r : tensor<?xi64>
}

// Beside a product of integers, one of floats is rounded in each trip.
// CHECK-LABEL: func.func @products_of_both
// CHECK:       ov.power %{{.*}} : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NOT:   ov.power
// CHECK:       ov.loop
// CHECK-NOT:   ov.power
func.func @products_of_both(%x: tensor<4xi64>, %b: tensor<i64>, %y: tensor<4xf32>, %d: tensor<f32>) -> (tensor<4xi64>, tensor<4xf32>) {
  %n = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%x, %y) : (tensor<i64>, tensor<4xi64>, tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>, %u: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %z = ov.multiply %u, %d : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.next carried(%w, %z : tensor<4xi64>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xi64>, tensor<4xf32>
}
