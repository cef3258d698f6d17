func.func @main(%x: tensor<100x4xi32>, %a: tensor<1x4xi32>) -> tensor<1x4xi32> {
  %big = ov.constant dense<200000000> : tensor<i32> : tensor<i32>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi32>, tensor<100x4xi32>) -> tensor<1x4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi32>, %p: tensor<1x4xi32>):
    %q = ov.multiply %p, %big : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
    %w = ov.add %v, %q : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
    ov.next carried(%w : tensor<1x4xi32>)
  }
  func.return %r : tensor<1x4xi32>
}

// -----

// The sum is limited in each trip: it does not wrap.
func.func @main(%x: tensor<100x4xi32>, %a: tensor<1x4xi32>) -> tensor<1x4xi32> {
  %big = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xi32>, tensor<100x4xi32>) -> tensor<1x4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi32>, %p: tensor<1x4xi32>):
    %q = ov.subtract %p, %big : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
    %h = ov.add %v, %q : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
    %w = ov.clamp %h {min = -5.0 : f64, max = 5.0 : f64} : (tensor<1x4xi32>) -> tensor<1x4xi32>
    ov.next carried(%w : tensor<1x4xi32>)
  }
  func.return %r : tensor<1x4xi32>
}
