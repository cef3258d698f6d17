// RUN: loomir-opt %s -p ov-infer,canonicalize | filecheck %s

// A constant condition leaves the taken branch.
// CHECK-LABEL: func.func @constant_if
// CHECK-NEXT: %{{.*}} = ov.add %a, %a
// CHECK-NEXT: func.return
func.func @constant_if(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r = ov.if %c -> (tensor<2xf32>) {
    %0 = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield %0 : tensor<2xf32>
  } else {
    ov.yield %a : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// Both branches give the same outside value.
// CHECK-LABEL: func.func @same_value
// CHECK-NEXT: func.return %a
func.func @same_value(%c: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %a : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @unused_result
// CHECK: ov.if %c -> (tensor<2xf32>)
// CHECK-NEXT: ov.yield %b : tensor<2xf32>
// CHECK: ov.yield %a : tensor<2xf32>
func.func @unused_result(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %r, %s = ov.if %c -> (tensor<2xf32>, tensor<2xf32>) {
    ov.yield %a, %b : tensor<2xf32>, tensor<2xf32>
  } else {
    ov.yield %b, %a : tensor<2xf32>, tensor<2xf32>
  }
  func.return %s : tensor<2xf32>
}

// CHECK-LABEL: func.func @negated
// CHECK: ov.if %c
// CHECK-NEXT: ov.yield %b
func.func @negated(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %n = ov.logical_not %c : (tensor<i1>) -> tensor<i1>
  %r = ov.if %n -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %b : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// A branch inside of a branch of the same condition is known, in a loop too.
// CHECK-LABEL: func.func @condition_of_the_branch_around
// CHECK:      ov.if %c
// CHECK-NEXT:   ov.loop
// CHECK:          ov.add %v, %a
// CHECK-NEXT:     ov.next
// CHECK:      } else {
// CHECK-NEXT:   %[[N:.*]] = ov.negative %a
// CHECK-NEXT:   ov.yield %[[N]]
func.func @condition_of_the_branch_around(%c: tensor<i1>, %n: tensor<i64>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.if %c -> (tensor<2xf32>) {
    %s = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
      %t = ov.if %c -> (tensor<2xf32>) {
        %w = ov.add %v, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        ov.yield %w : tensor<2xf32>
      } else {
        ov.yield %v : tensor<2xf32>
      }
      ov.next carried(%t : tensor<2xf32>)
    }
    ov.yield %s : tensor<2xf32>
  } else {
    %u = ov.if %c -> (tensor<2xf32>) {
      ov.yield %a : tensor<2xf32>
    } else {
      %w = ov.negative %a : (tensor<2xf32>) -> tensor<2xf32>
      ov.yield %w : tensor<2xf32>
    }
    ov.yield %u : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @zero_trips
// CHECK: %[[E:.*]] = ov.constant dense<> : tensor<0x2xf32>
// CHECK-NEXT: func.return %a, %[[E]]
func.func @zero_trips(%a: tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %n = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %w = ov.add %v, %v : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    ov.next carried(%w : tensor<*xf32>) concat(%w : tensor<*xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<*xf32>
}

// One trip, by the count and by a condition that ends it; the second result is the body's argument itself.
// CHECK-LABEL: func.func @one_trip
// CHECK-NEXT: %[[W:.*]] = ov.add %a, %a
// CHECK-NEXT: func.return %[[W]], %a
func.func @one_trip(%a: tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %stop = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r, %s = ov.loop carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %w = ov.add %v, %v : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    ov.next while(%stop) carried(%w : tensor<*xf32>) concat(%v : tensor<*xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<*xf32>
}

// The invariant value becomes a capture; two values that only swap each other go; so does the constant-true condition.
// CHECK-LABEL: func.func @dead_and_invariant
// CHECK: %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
// CHECK-NEXT: %w = ov.add %v, %b
// CHECK-NEXT: ov.next carried(%w : tensor<2xf32>)
func.func @dead_and_invariant(%n: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %t = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r, %s, %u, %x = ov.loop trip(%n) while(%t) carried(%a, %b, %a, %b) : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>, %inv: tensor<2xf32>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    %w = ov.add %v, %inv : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next while(%t) carried(%w, %inv, %q, %p : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}

// A sliced input that nothing reads stays where it is what says the trips.
// CHECK-LABEL: func.func @unread_slice
// CHECK: ov.loop carried(%a) sliced(%x)
func.func @unread_slice(%a: tensor<1xf32>, %x: tensor<4xf32>) -> tensor<1xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1xf32>, tensor<4xf32>) -> (tensor<1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>, %p: tensor<1xf32>):
    %w = ov.add %v, %v : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.next carried(%w : tensor<1xf32>)
  }
  func.return %r : tensor<1xf32>
}

// Of two results that are the same in each branch one is left; what is one in the first branch only are two.
// CHECK-LABEL: func.func @duplicate_results
// CHECK-NEXT: %[[R:.*]], %[[T:.*]] = ov.if %c -> (tensor<2xf32>, tensor<2xf32>)
// CHECK: func.return %[[R]], %[[R]], %[[T]]
func.func @duplicate_results(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r, %s, %t = ov.if %c -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %p = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %p, %p, %p : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  } else {
    %p = ov.tanh %a : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %p, %p, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @condition_as_result
// CHECK-NEXT: %[[N:.*]] = ov.logical_not %c
// CHECK-NEXT: func.return %c, %[[N]]
func.func @condition_as_result(%c: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r, %s = ov.if %c -> (tensor<i1>, tensor<i1>) {
    ov.yield %true, %false : tensor<i1>, tensor<i1>
  } else {
    ov.yield %false, %true : tensor<i1>, tensor<i1>
  }
  func.return %r, %s : tensor<i1>, tensor<i1>
}
