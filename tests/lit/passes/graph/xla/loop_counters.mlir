// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-loop-closed-forms,ov-fold-constants,canonicalize,cse,ov-if-to-select' | filecheck %s

// The chain is a function of the counter alone. A trip runs only if that is 42, so it makes 1764 of it, and is the only one.
// CHECK-LABEL: func.func @chain_of_sums_and_products(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<42>
// CHECK-NEXT: %[[B:.*]] = ov.equal %k0, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.constant dense<1764>
// CHECK-NEXT: %[[D:.*]] = ov.select %[[B]], %[[C]], %k0
// CHECK-NEXT: func.return %[[D]], %x
func.func @chain_of_sums_and_products(%k0: tensor<i32>, %x: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  %c = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %go = ov.equal %k0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%k0, %x) : (tensor<i1>, tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i32>, %v: tensor<2xf32>):
    %p = ov.add %k, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %q = ov.subtract %p, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %k1 = ov.multiply %q, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.equal %k1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %v : tensor<i32>, tensor<2xf32>)
  }
  func.return %r, %s : tensor<i32>, tensor<2xf32>
}
