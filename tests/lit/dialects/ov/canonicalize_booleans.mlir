// RUN: loomir-opt %s -p canonicalize | filecheck %s

// The neutral operand goes, whichever it is, and so does the second of two that are one.
// CHECK-LABEL: func.func @neutral(
// CHECK-NEXT: %[[A:.*]] = ov.logical_xor %c, %d
// CHECK-NEXT: func.return %c, %c, %c, %d, %[[A]]
func.func @neutral(%c: tensor<i1>, %d: tensor<4xi1>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<4xi1>, tensor<4xi1>) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %p = ov.logical_and %c, %true : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %q = ov.logical_or %false, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.logical_or %c, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %s = ov.logical_or %false, %d : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  %t = ov.logical_xor %c, %d : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  %u = ov.logical_and %t, %t : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  func.return %p, %q, %r, %s, %u : tensor<i1>, tensor<i1>, tensor<i1>, tensor<4xi1>, tensor<4xi1>
}

// The other constant decides.
// CHECK-LABEL: func.func @decided(
// CHECK-NEXT: %[[T:.*]] = ov.constant dense<true> : tensor<i1>
// CHECK-NEXT: %[[F:.*]] = ov.constant dense<false> : tensor<i1>
// CHECK-NEXT: func.return %[[F]], %[[T]]
func.func @decided(%c: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %p = ov.logical_and %false, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %q = ov.logical_or %c, %true : (tensor<i1>, tensor<i1>) -> tensor<i1>
  func.return %p, %q : tensor<i1>, tensor<i1>
}

// It would have fewer elements, or an open extent may not fit; the constant is not one throughout; the operation is another.
// CHECK-LABEL: func.func @stays(
// CHECK:      ov.logical_and %c
// CHECK-NEXT: ov.logical_or %e
// CHECK-NEXT: ov.logical_and %d
// CHECK-NEXT: ov.logical_xor %c
func.func @stays(%c: tensor<i1>, %d: tensor<2xi1>, %e: tensor<?xi1>) -> (tensor<2xi1>, tensor<?xi1>, tensor<2xi1>, tensor<i1>) {
  %trues = ov.constant dense<true> : tensor<2xi1> : tensor<2xi1>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %mixed = ov.constant dense<[true, false]> : tensor<2xi1> : tensor<2xi1>
  %p = ov.logical_and %c, %trues : (tensor<i1>, tensor<2xi1>) -> tensor<2xi1>
  %q = ov.logical_or %e, %false : (tensor<?xi1>, tensor<i1>) -> tensor<?xi1>
  %r = ov.logical_and %d, %mixed : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %s = ov.logical_xor %c, %false : (tensor<i1>, tensor<i1>) -> tensor<i1>
  func.return %p, %q, %r, %s : tensor<2xi1>, tensor<?xi1>, tensor<2xi1>, tensor<i1>
}

// CHECK-LABEL: func.func @selections(
// CHECK-NEXT: %[[A:.*]] = ov.logical_and %c, %d
// CHECK-NEXT: %[[O:.*]] = ov.logical_or %c, %d
// CHECK-NEXT: %[[N:.*]] = ov.logical_not %c
// CHECK-NEXT: func.return %[[A]], %[[O]], %c, %[[N]], %x
func.func @selections(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<4xf32>) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %p = ov.select %c, %d, %false : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  %q = ov.select %c, %true, %d : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.select %c, %true, %false : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  %s = ov.select %c, %false, %true : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  %t = ov.select %c, %x, %x : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %p, %q, %r, %s, %t : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<4xf32>
}

// The condition has fewer elements than what it chooses; or would have to be negated as well.
// CHECK-LABEL: func.func @selections_that_stay(
// CHECK:      ov.select %c, %d
// CHECK-NEXT: ov.select %e, %c
func.func @selections_that_stay(%c: tensor<i1>, %d: tensor<2xi1>, %e: tensor<i1>) -> (tensor<2xi1>, tensor<i1>) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %falses = ov.constant dense<false> : tensor<2xi1> : tensor<2xi1>
  %p = ov.select %c, %d, %falses : (tensor<i1>, tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %q = ov.select %e, %c, %true : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  func.return %p, %q : tensor<2xi1>, tensor<i1>
}
