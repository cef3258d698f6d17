// RUN: loomir-opt %s -p ov-loop-reductions,canonicalize --check-each-pass | filecheck %s
// RUN: loomir-opt %s -p ov-loop-reductions --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p ov-loop-reassociate | filecheck %s --check-prefix=FLOATS

// A difference of products, and a minimum of floats, along one axis of two inputs.
// CHECK-LABEL: func.func @several
// CHECK-NOT:   ov.loop
// CHECK:       %[[ALL:.*]] = ov.multiply %x, %{{.*}} : (tensor<8x4xi64>, tensor<i64>) -> tensor<8x4xi64>
// CHECK:       %[[SUM:.*]] = ov.reduce_sum %[[ALL]], %{{.*}} {keep_dims = true} : (tensor<8x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
// CHECK-NEXT:  ov.subtract %a, %[[SUM]]
// CHECK:       %[[LEAST:.*]] = ov.reduce_min %y, %{{.*}} {keep_dims = true}
// CHECK-NEXT:  ov.minimum %[[LEAST]], %b
// REMARK-DAG:  remark: ov-loop-reductions: done: ov.loop: computed 2 results at once
func.func @several(%x: tensor<8x4xi64>, %a: tensor<1x4xi64>, %b: tensor<1x4xf32>, %y: tensor<8x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = -2>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<8x4xi64>, tensor<8x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %u: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
    %m = ov.multiply %p, %three : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %w = ov.subtract %v, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %z = ov.minimum %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w, %z : tensor<1x4xi64>, tensor<1x4xf32>)
  }
  func.return %r, %s : tensor<1x4xi64>, tensor<1x4xf32>
}

// A part of an axis, from the end, which each iteration takes away: the numbers are those of the iterations from the last one on.
// CHECK-LABEL: func.func @without_the_axis
// CHECK-NOT:   ov.loop
// CHECK:       %[[NUMBERS:.*]] = ov.range {{.*}} -> tensor<5xi64>
// CHECK:       %[[PART:.*]] = ov.slice %x{{.*}} -> tensor<4x5xi64>
// CHECK:       %[[ROWS:.*]] = ov.transpose %[[PART]]
// CHECK:       %[[COLUMN:.*]] = ov.reshape %[[NUMBERS]]
// CHECK-NEXT:  %[[PRODUCTS:.*]] = ov.multiply %[[ROWS]], %[[COLUMN]]
// CHECK:       %[[SUMS:.*]] = ov.add %[[PRODUCTS]], %{{.*}} : (tensor<5x4xi64>, tensor<4xi64>)
// CHECK:       %[[SUM:.*]] = ov.reduce_sum %[[SUMS]], %{{.*}} : (tensor<5x4xi64>, tensor<1xi64>) -> tensor<4xi64>
// CHECK-NEXT:  ov.add %[[SUM]], %a
func.func @without_the_axis(%x: tensor<4x8xi64>, %a: tensor<4xi64>) -> tensor<4xi64> {
  %one = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %bias = ov.constant dense<[1, 2, 3, 4]> : tensor<4xi64> : tensor<4xi64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 1, start = 6, end = 1, stride = -1>]} : (tensor<4xi64>, tensor<4x8xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>, %p: tensor<4x1xi64>):
    %q = ov.squeeze %p, %one : (tensor<4x1xi64>, tensor<1xi64>) -> tensor<4xi64>
    %m = ov.multiply %q, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %n = ov.add %m, %bias : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = ov.add %n, %v : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// Rows from the 70th on, as many as the run says, perhaps none.
// CHECK-LABEL: func.func @of_gathered
// CHECK-NOT:   ov.loop
// CHECK:       %[[STOP:.*]] = ov.constant dense<71>
// CHECK-NEXT:  %[[START:.*]] = ov.subtract %[[STOP]]
// CHECK:       %[[ROWS:.*]] = ov.slice %x, %[[START]], %[[STOP]]
// CHECK:       %[[PRODUCT:.*]] = ov.reduce_prod %[[ROWS]], %{{.*}} : (tensor<?x4xi32>, tensor<1xi64>) -> tensor<4xi32>
// CHECK-NEXT:  ov.multiply %a, %[[PRODUCT]]
func.func @of_gathered(%n: tensor<i64>, %x: tensor<100x4xi32>, %a: tensor<4xi32>) -> tensor<4xi32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %top = ov.constant dense<70> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 50.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %at = ov.subtract %top, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xi32>, tensor<i64>, tensor<i64>) -> tensor<4xi32>
    %w = ov.multiply %v, %g : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// Joined sums of numbers, and multiples of the sums before each, joined from the end.
// CHECK-LABEL: func.func @prefix_of_numbers
// CHECK-NOT:   ov.loop
// CHECK:       %[[SUMS:.*]] = ov.cum_sum %x, %{{.*}} : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
// CHECK-NEXT:  %[[ALL:.*]] = ov.subtract %a, %[[SUMS]]
// CHECK:       %[[REVERSED:.*]] = ov.slice %x
// CHECK:       %[[BEFORE:.*]] = ov.cum_sum %[[REVERSED]], %{{.*}} {exclusive = true, reverse = true}
// CHECK-NEXT:  %[[OTHER:.*]] = ov.subtract %a, %[[BEFORE]]
// CHECK:       %[[LAST:.*]] = ov.multiply %[[OTHER]], %{{.*}} : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
// CHECK-NEXT:  func.return %[[ALL]], %[[LAST]]
func.func @prefix_of_numbers(%x: tensor<6xi64>, %a: tensor<i64>) -> (tensor<6xi64>, tensor<6xi64>) {
  %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
  %zero = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %r, %all, %other = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<6xi64>) -> (tensor<i64>, tensor<6xi64>, tensor<6xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>, %p: tensor<1xi64>):
    %q = ov.squeeze %p, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    %w = ov.subtract %v, %q : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %u = ov.unsqueeze %w, %zero : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %t = ov.multiply %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.unsqueeze %t, %zero : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next carried(%w : tensor<i64>) concat(%u, %s : tensor<1xi64>, tensor<1xi64>)
  }
  func.return %all, %other : tensor<6xi64>, tensor<6xi64>
}

// A sum of what is a product of all parts so far.
// CHECK-LABEL: func.func @sum_of_prefix_products
// CHECK-NOT:   ov.loop
// CHECK:       ov.reduce_prod %x
// CHECK:       %[[PRODUCTS:.*]] = ov.cum_prod %x
// CHECK-NEXT:  %[[ALL:.*]] = ov.multiply %a, %[[PRODUCTS]]
// CHECK:       %[[SUM:.*]] = ov.reduce_sum %[[ALL]]
// CHECK-NEXT:  ov.add %b, %[[SUM]]
func.func @sum_of_prefix_products(%x: tensor<6x4xi64>, %a: tensor<1x4xi64>, %b: tensor<1x4xi64>) -> (tensor<1x4xi64>, tensor<1x4xi64>) {
  %r, %s = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xi64>, tensor<6x4xi64>) -> (tensor<1x4xi64>, tensor<1x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %u: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.multiply %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %t = ov.add %u, %w : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w, %t : tensor<1x4xi64>, tensor<1x4xi64>)
  }
  func.return %r, %s : tensor<1x4xi64>, tensor<1x4xi64>
}

// Extents that do not fit are an error if there is an iteration.
// CHECK-LABEL: func.func @of_open_extents
// CHECK-NOT:   ov.loop
// CHECK:       %[[RUNS:.*]] = ov.not_equal
// CHECK:       ov.if %[[RUNS]]
// CHECK:       %[[MOST:.*]] = ov.reduce_max %x
// CHECK-NEXT:  ov.maximum %a, %[[MOST]]
// CHECK:       ov.yield %a
func.func @of_open_extents(%x: tensor<?x?xf32>, %a: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x?xf32>, tensor<?x?xf32>) -> tensor<1x?xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x?xf32>, %p: tensor<1x?xf32>):
    %w = ov.maximum %v, %p : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
    ov.next carried(%w : tensor<1x?xf32>)
  }
  func.return %r : tensor<1x?xf32>
}

// The shorter input ends the loop: 0 is the sum of no products.
// CHECK-LABEL: func.func @of_two_open_inputs
// CHECK-NOT:   ov.loop
// CHECK:       %[[TRIPS:.*]] = ov.minimum
// CHECK:       %[[X:.*]] = ov.slice %x
// CHECK:       %[[Y:.*]] = ov.slice %y
// CHECK:       %[[ALL:.*]] = ov.multiply %[[X]], %[[Y]]
// CHECK:       ov.reduce_sum %[[ALL]]
// CHECK-NOT:   ov.if
func.func @of_two_open_inputs(%x: tensor<?x4xi64>, %y: tensor<?x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %r = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<?x4xi64>, tensor<?x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>, %q: tensor<1x4xi64>):
    %m = ov.multiply %p, %q : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %w = ov.add %v, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// In a loop.
// CHECK-LABEL: func.func @nested
// CHECK:       ov.loop
// CHECK:       ov.reduce_logical_and %row
// CHECK-NOT:   ov.loop
// CHECK:       func.return
func.func @nested(%x: tensor<5x3x4xi1>, %a: tensor<1x1x4xi1>) -> tensor<5x1x4xi1> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<5x3x4xi1>) -> tensor<5x1x4xi1> {
  ^bb0(%i: tensor<i64>, %row: tensor<1x3x4xi1>):
    %r = ov.loop carried(%a) sliced(%row) {slices = [#ov.slice<axis = 1>]} : (tensor<1x1x4xi1>, tensor<1x3x4xi1>) -> tensor<1x1x4xi1> {
    ^bb1(%j: tensor<i64>, %v: tensor<1x1x4xi1>, %p: tensor<1x1x4xi1>):
      %w = ov.logical_and %v, %p : (tensor<1x1x4xi1>, tensor<1x1x4xi1>) -> tensor<1x1x4xi1>
      ov.next carried(%w : tensor<1x1x4xi1>)
    }
    ov.next concat(%r : tensor<1x1x4xi1>)
  }
  func.return %all : tensor<5x1x4xi1>
}

// CHECK-LABEL: func.func @sums_that_the_body_needs
// CHECK-NEXT:  ov.loop
// REMARK-DAG:  left: ov.loop: no result is a reduction of its slices alone, or the body needs it
func.func @sums_that_the_body_needs(%x: tensor<8x4xi64>, %a: tensor<1x4xi64>, %b: tensor<1x4xi64>) -> (tensor<1x4xi64>, tensor<1x4xi64>) {
  %r, %s = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xi64>, tensor<8x4xi64>) -> (tensor<1x4xi64>, tensor<1x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %u: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %m = ov.floor_mod %w, %u : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w, %m : tensor<1x4xi64>, tensor<1x4xi64>)
  }
  func.return %r, %s : tensor<1x4xi64>, tensor<1x4xi64>
}

// Sums of floats are rounded in each iteration.
// CHECK-LABEL: func.func @of_floats
// CHECK:       ov.loop
// FLOATS-LABEL: func.func @of_floats
// FLOATS-NOT:  ov.loop
// FLOATS:      ov.reduce_sum %x
// FLOATS:      func.return
// REMARK-DAG:  left: ov.loop: it carries no sum, product, maximum or the like
func.func @of_floats(%x: tensor<8x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @until_a_condition
// CHECK:       ov.loop
// REMARK-DAG:  left: ov.loop: a condition may end it, or its trip count is not known
func.func @until_a_condition(%x: tensor<8x4xi64>, %a: tensor<1x4xi64>, %go: tensor<i1>) -> tensor<1x4xi64> {
  %r = ov.loop while(%go) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<1x4xi64>, tensor<8x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// Parts of two elements get an axis of their own.
// CHECK-LABEL: func.func @pairs
// CHECK-NOT:   ov.loop
// CHECK:       %[[PAIRS:.*]] = ov.reshape %x, %{{.*}} -> tensor<4x2x4xi64>
// CHECK:       %[[SUM:.*]] = ov.reduce_sum %[[PAIRS]], %{{.*}} : (tensor<4x2x4xi64>, tensor<1xi64>) -> tensor<2x4xi64>
// CHECK-NEXT:  ov.add %a, %[[SUM]]
func.func @pairs(%x: tensor<8x4xi64>, %a: tensor<2x4xi64>) -> tensor<2x4xi64> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>]} : (tensor<2x4xi64>, tensor<8x4xi64>) -> tensor<2x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<2x4xi64>, %p: tensor<2x4xi64>):
    %w = ov.add %v, %p : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi64>
    ov.next carried(%w : tensor<2x4xi64>)
  }
  func.return %r : tensor<2x4xi64>
}

// As many rows as the run says, of which some may not be there.
// CHECK-LABEL: func.func @of_gathered_in_a_branch
// CHECK-NOT:   ov.loop
// CHECK:       ov.if
// CHECK:       %[[ROWS:.*]] = ov.gather %x, %{{.*}} {out_of_range = "error"}
// CHECK:       ov.reduce_sum %[[ROWS]]
func.func @of_gathered_in_a_branch(%n: tensor<i64>, %x: tensor<?x4xi32>, %a: tensor<4xi32>) -> tensor<4xi32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 50.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<?x4xi32>, tensor<i64>, tensor<i64>) -> tensor<4xi32>
    %w = ov.add %v, %g : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// Without a bound of the trips, neither have the indices one.
// CHECK-LABEL: func.func @perhaps_out_of_range
// CHECK:       ov.loop
func.func @perhaps_out_of_range(%n: tensor<i64>, %x: tensor<100x4xi32>, %a: tensor<4xi32>) -> tensor<4xi32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xi32>, tensor<i64>, tensor<i64>) -> tensor<4xi32>
    %w = ov.add %v, %g : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// Behind the first row comes the last one.
// CHECK-LABEL: func.func @of_gathered_across_the_end
// CHECK-NOT:   ov.loop
// CHECK:       %[[ROWS:.*]] = ov.gather %x
// CHECK:       ov.reduce_prod %[[ROWS]]
func.func @of_gathered_across_the_end(%n: tensor<i64>, %x: tensor<100x4xi32>, %a: tensor<4xi32>) -> tensor<4xi32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %top = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 50.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %at = ov.subtract %top, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xi32>, tensor<i64>, tensor<i64>) -> tensor<4xi32>
    %w = ov.multiply %v, %g : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @much_memory
// CHECK:       ov.loop
// REMARK-DAG:  left: ov.loop: 96000 bytes to be reduced are more than max-bytes=65536
func.func @much_memory(%x: tensor<3000x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<3000x4xi64>) -> tensor<1x4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %m = ov.multiply %p, %three : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %w = ov.add %v, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>)
  }
  func.return %r : tensor<1x4xi64>
}

// Of a sum of floats and one of integers, the latter.
// CHECK-LABEL: func.func @beside_a_sum_of_floats
// CHECK:       ov.reduce_sum %x
// CHECK:       ov.loop
// CHECK-NOT:   ov.reduce_sum %y
func.func @beside_a_sum_of_floats(%x: tensor<8x4xi64>, %y: tensor<8x4xf32>, %a: tensor<1x4xi64>, %b: tensor<1x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  %r, %s = ov.loop carried(%a, %b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<1x4xf32>, tensor<8x4xi64>, tensor<8x4xf32>) -> (tensor<1x4xi64>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %u: tensor<1x4xf32>, %p: tensor<1x4xi64>, %q: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %z = ov.add %q, %u : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w, %z : tensor<1x4xi64>, tensor<1x4xf32>)
  }
  func.return %r, %s : tensor<1x4xi64>, tensor<1x4xf32>
}
