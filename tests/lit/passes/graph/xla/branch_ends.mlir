// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-if-sink,ov-if-merge,ov-fold-constants,canonicalize,cse' | filecheck %s

// One of two results ends in the same conversion in both branches, the other does not.
// CHECK-LABEL: func.func @a_result_of_several_moves(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[4, 2]>
// CHECK-NEXT: %[[B:.*]], %[[C:.*]] = ov.if %c
// CHECK-NEXT:   %[[D:.*]] = ov.reshape %x, %[[A]]
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.yield %[[E]], %[[D]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[F:.*]] = ov.reshape %y, %[[A]]
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[F]], %[[F]]
// CHECK-NEXT:   ov.yield %[[F]], %[[G]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[H:.*]] = ov.convert %[[B]] {destination_type = f32}
// CHECK-NEXT: func.return %[[H]], %[[C]]
func.func @a_result_of_several_moves(%c: tensor<i1>, %x: tensor<2x4xf16>, %y: tensor<2x4xf16>) -> (tensor<4x2xf32>, tensor<4x2xf16>) {
  %shape = ov.constant dense<[4, 2]> : tensor<2xi64> : tensor<2xi64>
  %r, %s = ov.if %c -> (tensor<4x2xf32>, tensor<4x2xf16>) {
    %p = ov.reshape %x, %shape {special_zero = false} : (tensor<2x4xf16>, tensor<2xi64>) -> tensor<4x2xf16>
    %q = ov.exp %p : (tensor<4x2xf16>) -> tensor<4x2xf16>
    %w = ov.convert %q {destination_type = f32} : (tensor<4x2xf16>) -> tensor<4x2xf32>
    ov.yield %w, %p : tensor<4x2xf32>, tensor<4x2xf16>
  } else {
    %p = ov.reshape %y, %shape {special_zero = false} : (tensor<2x4xf16>, tensor<2xi64>) -> tensor<4x2xf16>
    %q = ov.add %p, %p : (tensor<4x2xf16>, tensor<4x2xf16>) -> tensor<4x2xf16>
    %w = ov.convert %p {destination_type = f32} : (tensor<4x2xf16>) -> tensor<4x2xf32>
    ov.yield %w, %q : tensor<4x2xf32>, tensor<4x2xf16>
  }
  func.return %r, %s : tensor<4x2xf32>, tensor<4x2xf16>
}

// A loop ends one branch, the operation of its body the other: nothing moves.
// CHECK-LABEL: func.func @a_loop_ends_one_branch(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.tanh %y
// CHECK-NEXT:   %[[D:.*]] = ov.loop trip(%n) carried(%[[C]])
// CHECK-NEXT:   ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<4xf32>):
// CHECK-NEXT:     %[[G:.*]] = ov.exp %[[F]]
// CHECK-NEXT:     ov.next carried(%[[G]] {{[^)]*}})
// CHECK-NEXT:   }
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @a_loop_ends_one_branch(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    %p = ov.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.loop trip(%n) carried(%p) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%w : tensor<4xf32>)
    }
    ov.yield %q : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The conversion moves behind the branch where its result is that of the function,
// CHECK-LABEL: func.func @conversion_as_the_result(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.add %x, %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.multiply %y, %y
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.*]] = ov.convert %[[A]] {destination_type = f32}
// CHECK-NEXT: func.return %[[D]]
func.func @conversion_as_the_result(%c: tensor<i1>, %x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.add %x, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %w = ov.convert %p {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    %p = ov.multiply %y, %y : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %w = ov.convert %p {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// and where operations behind the branch read it.
// CHECK-LABEL: func.func @conversion_that_is_read(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.add %x, %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.add %y, %y
// CHECK-NEXT:   %[[D:.*]] = ov.subtract %[[C]], %y
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[E:.*]] = ov.convert %[[A]] {destination_type = f32}
// CHECK-NEXT: %[[F:.*]] = ov.exp %[[E]]
// CHECK-NEXT: func.return %[[F]]
func.func @conversion_that_is_read(%c: tensor<i1>, %x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.add %x, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %w = ov.convert %p {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  } else {
    %p = ov.add %y, %y : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %q = ov.subtract %p, %y : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %w = ov.convert %q {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    ov.yield %w : tensor<4xf32>
  }
  %s = ov.exp %r : (tensor<4xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// A chain that both branches end with moves as a whole.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<[4, 2]>
// CHECK-NEXT: %[[B:.*]] = ov.if %c
// CHECK-NEXT:   %[[C:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[D:.*]] = ov.tanh %y
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[E:.*]] = ov.reshape %[[B]], %[[A]]
// CHECK-NEXT: %[[F:.*]] = ov.convert %[[E]] {destination_type = f32}
// CHECK-NEXT: %[[G:.*]] = ov.add %[[F]], %[[F]]
// CHECK-NEXT: func.return %[[G]]
func.func @chain(%c: tensor<i1>, %x: tensor<2x4xf16>, %y: tensor<2x4xf16>) -> tensor<4x2xf32> {
  %shape = ov.constant dense<[4, 2]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.if %c -> (tensor<4x2xf32>) {
    %o = ov.exp %x : (tensor<2x4xf16>) -> tensor<2x4xf16>
    %p = ov.reshape %o, %shape {special_zero = false} : (tensor<2x4xf16>, tensor<2xi64>) -> tensor<4x2xf16>
    %w = ov.convert %p {destination_type = f32} : (tensor<4x2xf16>) -> tensor<4x2xf32>
    ov.yield %w : tensor<4x2xf32>
  } else {
    %o = ov.tanh %y : (tensor<2x4xf16>) -> tensor<2x4xf16>
    %p = ov.reshape %o, %shape {special_zero = false} : (tensor<2x4xf16>, tensor<2xi64>) -> tensor<4x2xf16>
    %w = ov.convert %p {destination_type = f32} : (tensor<4x2xf16>) -> tensor<4x2xf32>
    ov.yield %w : tensor<4x2xf32>
  }
  %s = ov.add %r, %r : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %s : tensor<4x2xf32>
}

// The product moves behind the branch; the sum before it does not, for the first branch hands it out twice.
// CHECK-LABEL: func.func @operand_that_is_yielded_too(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2.000000e+00>
// CHECK-NEXT: %[[B:.*]], %[[C:.*]] = ov.if %c
// CHECK-NEXT:   %[[D:.*]] = ov.exp %x
// CHECK-NEXT:   %[[E:.*]] = ov.add %[[D]], %[[A]]
// CHECK-NEXT:   ov.yield %[[E]], %[[E]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[F:.*]] = ov.tanh %y
// CHECK-NEXT:   %[[G:.*]] = ov.subtract %[[F]], %[[A]]
// CHECK-NEXT:   %[[H:.*]] = ov.add %[[F]], %[[A]]
// CHECK-NEXT:   ov.yield %[[G]], %[[H]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[I:.*]] = ov.multiply %[[B]], %[[A]]
// CHECK-NEXT: %[[J:.*]] = ov.divide %[[I]], %[[C]]
// CHECK-NEXT: func.return %[[J]]
func.func @operand_that_is_yielded_too(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r, %s = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %o = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %p = ov.add %o, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.multiply %p, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.yield %w, %p : tensor<4xf32>, tensor<4xf32>
  } else {
    %o = ov.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
    %q = ov.subtract %o, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %p = ov.add %o, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = ov.multiply %q, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.yield %w, %p : tensor<4xf32>, tensor<4xf32>
  }
  %t = ov.divide %r, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %t : tensor<4xf32>
}

// The reader behind the branch needs a value from outside, too: it stays there.
// CHECK-LABEL: func.func @reader_that_needs_more(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.tanh %y
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.*]] = ov.power %[[A]], %y
// CHECK-NEXT: func.return %[[D]]
func.func @reader_that_needs_more(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    %p = ov.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  }
  %s = ov.power %r, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// So do readers of which there are several.
// CHECK-LABEL: func.func @several_readers(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.exp %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.yield %y
// CHECK-NEXT: }
// CHECK-NEXT: %[[C:.*]] = ov.abs %[[A]]
// CHECK-NEXT: %[[D:.*]] = ov.power %[[A]], %[[C]]
// CHECK-NEXT: func.return %[[C]], %[[D]]
func.func @several_readers(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %y : tensor<4xf32>
  }
  %s = ov.abs %r : (tensor<4xf32>) -> tensor<4xf32>
  %t = ov.power %r, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %s, %t : tensor<4xf32>, tensor<4xf32>
}

// One conversion that is two results stays: behind the branch twice as much would be handed out. The results become one.
// CHECK-LABEL: func.func @conversion_that_is_two_results(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.add %x, %x
// CHECK-NEXT:   %[[C:.*]] = ov.convert %[[B]] {destination_type = f16}
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[D:.*]] = ov.convert %y {destination_type = f16}
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]], %[[A]]
func.func @conversion_that_is_two_results(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>) {
  %r, %s = ov.if %c -> (tensor<4xf16>, tensor<4xf16>) {
    %p = ov.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %w = ov.convert %p {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    ov.yield %w, %w : tensor<4xf16>, tensor<4xf16>
  } else {
    %w = ov.convert %y {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    ov.yield %w, %w : tensor<4xf16>, tensor<4xf16>
  }
  func.return %r, %s : tensor<4xf16>, tensor<4xf16>
}

// A conversion back of what is handed out anyway moves; the one to the narrower type stays.
// CHECK-LABEL: func.func @conversion_of_a_result(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.add %x, %x
// CHECK-NEXT:   %[[C:.*]] = ov.convert %[[B]] {destination_type = f16}
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[D:.*]] = ov.convert %y {destination_type = f16}
// CHECK-NEXT:   ov.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[E:.*]] = ov.convert %[[A]] {destination_type = f32}
// CHECK-NEXT: func.return %[[E]], %[[A]]
func.func @conversion_of_a_result(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf16>) {
  %r, %s = ov.if %c -> (tensor<4xf32>, tensor<4xf16>) {
    %p = ov.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = ov.convert %p {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    %w = ov.convert %q {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    ov.yield %w, %q : tensor<4xf32>, tensor<4xf16>
  } else {
    %q = ov.convert %y {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    %w = ov.convert %q {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
    ov.yield %w, %q : tensor<4xf32>, tensor<4xf16>
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf16>
}

// Conversions of other types stay in their branches.
// CHECK-LABEL: func.func @conversions_of_other_types(
// CHECK-NEXT: %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.convert %x {destination_type = i8}
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.if %d
// CHECK-NEXT:     %[[D:.*]] = ov.add %x, %x
// CHECK-NEXT:     %[[E:.*]] = ov.convert %[[D]] {destination_type = i8}
// CHECK-NEXT:     ov.yield %[[E]]
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[F:.*]] = ov.add %y, %y
// CHECK-NEXT:     %[[G:.*]] = ov.convert %[[F]] {destination_type = i8}
// CHECK-NEXT:     ov.yield %[[G]]
// CHECK-NEXT:   }
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @conversions_of_other_types(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xi32>, %y: tensor<4xi16>) -> tensor<4xi8> {
  %r = ov.if %c -> (tensor<4xi8>) {
    %w = ov.convert %x {destination_type = i8} : (tensor<4xi32>) -> tensor<4xi8>
    ov.yield %w : tensor<4xi8>
  } else {
    %s = ov.if %d -> (tensor<4xi8>) {
      %p = ov.add %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %w = ov.convert %p {destination_type = i8} : (tensor<4xi32>) -> tensor<4xi8>
      ov.yield %w : tensor<4xi8>
    } else {
      %p = ov.add %y, %y : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
      %w = ov.convert %p {destination_type = i8} : (tensor<4xi16>) -> tensor<4xi8>
      ov.yield %w : tensor<4xi8>
    }
    ov.yield %s : tensor<4xi8>
  }
  func.return %r : tensor<4xi8>
}

// What is a number in the one branch may be a constant in the other.
// CHECK-LABEL: func.func @operand_that_is_a_constant_in_one(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<3.000000e+00>
// CHECK-NEXT: %[[C:.*]], %[[D:.*]] = ov.if %c
// CHECK-NEXT:   %[[E:.*]] = ov.exp %y
// CHECK-NEXT:   ov.yield %[[E]], %[[E]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   ov.yield %[[B]], %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[F:.*]] = ov.multiply %x, %[[C]]
// CHECK-NEXT: func.return %[[F]], %[[D]]
func.func @operand_that_is_a_constant_in_one(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %three = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
  %r, %s = ov.if %c -> (tensor<f32>, tensor<f32>) {
    %p = ov.exp %y : (tensor<f32>) -> tensor<f32>
    %w = ov.multiply %x, %p : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %w, %p : tensor<f32>, tensor<f32>
  } else {
    %w = ov.multiply %x, %three : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %w, %zero : tensor<f32>, tensor<f32>
  }
  func.return %r, %s : tensor<f32>, tensor<f32>
}

// Both branches are one computation of different arguments.
// CHECK-LABEL: func.func @one_computation_of_two_arguments(
// CHECK:      %[[A:.*]] = ov.if %c
// CHECK-NEXT:   %[[B:.*]] = ov.tanh %x
// CHECK-NEXT:   ov.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.tanh %y
// CHECK-NEXT:   ov.yield %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.*]] = ov.convert %[[A]]
// CHECK-NEXT: func.return %[[D]]
func.func @one_computation_of_two_arguments(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf64> {
  %r = ov.if %c -> (tensor<4xf64>) {
    %p = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.convert %p {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
    ov.yield %w : tensor<4xf64>
  } else {
    %p = ov.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.convert %p {destination_type = f64} : (tensor<4xf32>) -> tensor<4xf64>
    ov.yield %w : tensor<4xf64>
  }
  func.return %r : tensor<4xf64>
}

// A tree of sums moves out, with two results in place of one. (In the second branch the sum of two constants is one.)
// CHECK-LABEL: func.func @tree(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1.000000e+00>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<2.000000e+00>
// CHECK-NEXT: %[[D:.*]], %[[E:.*]] = ov.if %c
// CHECK-NEXT:   %[[F:.*]] = ov.add %a, %[[A]]
// CHECK-NEXT:   ov.yield %[[F]], %a
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[C:.*]] = ov.constant dense<3.000000e+00>
// CHECK-NEXT:   ov.yield %[[C]], %b
// CHECK-NEXT: }
// CHECK-NEXT: %[[G:.*]] = ov.add %[[E]], %[[B]]
// CHECK-NEXT: %[[H:.*]] = ov.add %[[D]], %[[G]]
// CHECK-NEXT: %[[I:.*]] = ov.add %[[H]], %[[H]]
// CHECK-NEXT: func.return %[[I]]
func.func @tree(%c: tensor<i1>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.if %c -> (tensor<f32>) {
    %p = ov.add %a, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %q = ov.add %a, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = ov.add %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  } else {
    %p = ov.add %two, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %q = ov.add %b, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = ov.add %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.yield %s : tensor<f32>
  }
  %t = ov.add %r, %r : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %t : tensor<f32>
}
