// RUN: loomir-opt %s -p ov-loop-last-trip | filecheck %s
// RUN: loomir-opt %s -p ov-loop-last-trip --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// A chain on the carried value, whose result the body does not read; the loop may not run.
// CHECK-LABEL: func.func @behind_a_recurrence
// CHECK-NEXT:  %r = ov.loop trip(%n) carried(%x)
// CHECK-NOT:   ov.exp
// CHECK:       ov.next carried(%w : tensor<4xf32>)
// CHECK:       %[[RUN:.*]] = ov.not_equal %n
// CHECK-NEXT:  %s = ov.if %[[RUN]] -> (tensor<4xf32>) {
// CHECK-NEXT:    %e = ov.exp %r
// CHECK-NEXT:    %f = ov.multiply %e, %a
// CHECK-NEXT:    ov.yield %f
// CHECK-NEXT:  } else {
// CHECK-NEXT:    ov.yield %a
// REMARK-DAG: remark: ov-loop-last-trip: done: ov.loop: moved 2 operations of the last trip behind it
func.func @behind_a_recurrence(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    %e = ov.exp %w : (tensor<4xf32>) -> tensor<4xf32>
    %f = ov.multiply %e, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w, %f : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// The loop surely runs: no branch. The last part, the last number of the iteration; nothing is left in the loop.
// CHECK-LABEL: func.func @of_the_last_slice
// CHECK-NOT:   ov.loop
// CHECK:       %[[I:.*]] = ov.constant dense<7> : tensor<i64>
// CHECK-NEXT:  %number = ov.convert %[[I]]
// CHECK-NEXT:  %[[BEGIN:.*]] = ov.constant dense<7> : tensor<1xi64>
// CHECK:       %[[PART:.*]] = ov.slice %x, %[[BEGIN]]
// CHECK-NEXT:  %m = ov.multiply %[[PART]], %number
// CHECK-NEXT:  func.return %m
func.func @of_the_last_slice(%x: tensor<8x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %m = ov.multiply %p, %number : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    ov.next carried(%m : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// What is read of the body becomes a last value, in place of what is computed of it. A last value after no trip is zeros.
// CHECK-LABEL: func.func @of_a_last_value
// CHECK:       %r, %[[V:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NOT:   ov.exp
// CHECK:       ov.next carried(%w : tensor<4xf32>) last(%v : tensor<4xf32>)
// CHECK:       %l = ov.if
// CHECK-NEXT:    %e = ov.exp %[[V]]
// CHECK-NEXT:    ov.yield %e
// CHECK-NEXT:  } else {
// CHECK-NEXT:    %[[ZEROS:.*]] = ov.constant dense<0.{{.*}}> : tensor<4xf32>
// CHECK-NEXT:    ov.yield %[[ZEROS]]
func.func @of_a_last_value(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>) last(%e : tensor<4xf32>)
  }
  func.return %r, %l : tensor<4xf32>, tensor<4xf32>
}

// A branch moves as a whole, with what it captures.
// CHECK-LABEL: func.func @a_branch
// CHECK:       ov.next carried(%w : tensor<4xf32>)
// CHECK:       %s = ov.if
// CHECK-NEXT:    %f = ov.if %c
// CHECK-NEXT:      ov.exp %r
func.func @a_branch(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x, %x) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    %f = ov.if %c -> (tensor<4xf32>) {
      %e = ov.exp %w : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %e : tensor<4xf32>
    } else {
      ov.yield %w : tensor<4xf32>
    }
    ov.next carried(%w, %f : tensor<4xf32>, tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// Near misses: the next trip reads it; a part of it is joined; what may fail in an earlier trip; what is read is larger;
// whether there is a slice is not known before it.
// CHECK-LABEL: func.func @left
// CHECK:       ov.loop
// CHECK:       ov.exp
// CHECK:       ov.next
// CHECK-NOT:   ov.if
// REMARK-DAG: remark: ov-loop-last-trip: left: ov.loop: each trip reads what it carries, and there are no last values
func.func @left(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%e : tensor<4xf32>) concat(%e : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @joined_too
// CHECK:       ov.exp
// CHECK:       ov.next carried(%v, %e : tensor<4xf32>, tensor<4xf32>) concat(%e : tensor<4xf32>)
// REMARK-DAG: remark: ov-loop-last-trip: left: ov.loop: no operation is needed of the last trip only
func.func @joined_too(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %q, %r, %s = ov.loop trip(%n) carried(%x, %x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%v, %e : tensor<4xf32>, tensor<4xf32>) concat(%e : tensor<4xf32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @may_fail_before
// CHECK:       ov.loop
// CHECK:         ov.gather %a, %i
// CHECK-NEXT:    ov.next
func.func @may_fail_before(%n: tensor<i64>, %a: tensor<9x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %g = ov.gather %a, %i, %axis {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    ov.next carried(%g : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @reads_more_than_it_gives
// CHECK:         ov.reduce_sum
// CHECK-NEXT:    ov.next
// REMARK-DAG: remark: ov-loop-last-trip: left: ov.loop: what the operations of the last trip read is no tensor, or takes more memory than they give
func.func @reads_more_than_it_gives(%n: tensor<i64>, %x: tensor<4xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r, %s = ov.loop trip(%n) carried(%x, %z) : (tensor<i64>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<f32>):
    %w = ov.tanh %v : (tensor<4xf32>) -> tensor<4xf32>
    %t = ov.reduce_sum %v, %axes : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
    ov.next carried(%w, %t : tensor<4xf32>, tensor<f32>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<f32>
}

// The last of as many parts as there are.
// CHECK-LABEL: func.func @over_slices_of_unknown_number
// CHECK:         %[[ROWS:.*]] = ov.gather %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK:         %[[RUNS:.*]] = ov.not_equal %[[ROWS]]
// CHECK:         ov.if %[[RUNS]] -> (tensor<1x4xf32>) {
// CHECK:           %[[LAST:.*]] = ov.subtract
// CHECK:           %[[PLACE:.*]] = ov.unsqueeze %[[LAST]]
// CHECK:           %[[PART:.*]] = ov.gather %x, %[[PLACE]]{{.*}} -> tensor<1x4xf32>
// CHECK-NEXT:      %[[E:.*]] = ov.exp %[[PART]]
// CHECK-NEXT:      ov.yield %[[E]]
// CHECK:           ov.yield %b
func.func @over_slices_of_unknown_number(%x: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %s = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// From the end, the last part is the first.
// CHECK-LABEL: func.func @over_slices_from_the_end
// CHECK:         ov.if
// CHECK:           %[[PLACE:.*]] = ov.constant dense<0> : tensor<1xi64>
// CHECK:           %[[PART:.*]] = ov.gather %x, %[[PLACE]]{{.*}} -> tensor<1x4xf32>
// CHECK-NEXT:      ov.exp %[[PART]]
func.func @over_slices_from_the_end(%x: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %s = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// Which part of %x is the last one depends on the extent of %y.
// CHECK-LABEL: func.func @from_the_end_beside_others
// CHECK:         ov.loop
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      ov.next last(
func.func @from_the_end_beside_others(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %s = ov.loop carried(%b) sliced(%x, %y) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// Slices beyond the trip count are an error: how often it runs is not known before it.
// CHECK-LABEL: func.func @over_slices_with_a_trip_count
// CHECK:         ov.loop
// CHECK:           ov.exp
// CHECK-NEXT:      ov.next
// REMARK-DAG: remark: ov-loop-last-trip: left: ov.loop: nothing before it says whether it runs
func.func @over_slices_with_a_trip_count(%n: tensor<i64>, %x: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %s = ov.loop trip(%n) carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%e : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}

// A sequence is no last value.
// CHECK-LABEL: func.func @reads_a_sequence
// CHECK:         ov.if %c
// CHECK:         ov.next carried(%e, %g, %l
func.func @reads_a_sequence(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %s: !ovseq.sequence<tensor<4xf32>>) -> (!ovseq.sequence<tensor<4xf32>>, !ovseq.sequence<tensor<4xf32>>) {
  %r, %q, %t = ov.loop trip(%n) carried(%x, %s, %s) : (tensor<i64>, tensor<4xf32>, !ovseq.sequence<tensor<4xf32>>, !ovseq.sequence<tensor<4xf32>>) -> (tensor<4xf32>, !ovseq.sequence<tensor<4xf32>>, !ovseq.sequence<tensor<4xf32>>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: !ovseq.sequence<tensor<4xf32>>, %w: !ovseq.sequence<tensor<4xf32>>):
    %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %g = ovseq.insert %u, %e : (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) -> !ovseq.sequence<tensor<4xf32>>
    %l = ov.if %c -> (!ovseq.sequence<tensor<4xf32>>) {
      ov.yield %u : !ovseq.sequence<tensor<4xf32>>
    } else {
      ov.yield %s : !ovseq.sequence<tensor<4xf32>>
    }
    ov.next carried(%e, %g, %l : tensor<4xf32>, !ovseq.sequence<tensor<4xf32>>, !ovseq.sequence<tensor<4xf32>>)
  }
  func.return %q, %t : !ovseq.sequence<tensor<4xf32>>, !ovseq.sequence<tensor<4xf32>>
}
