func.func @main(%x: tensor<100x16xf32>, %w: tensor<16x16xf32>) -> tensor<100x16xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x16xf32>) -> tensor<100x16xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x16xf32>):
    %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.mat_mul %e, %w : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    ov.next concat(%r : tensor<1x16xf32>)
  }
  func.return %all : tensor<100x16xf32>
}

// -----

// The matrix of a trip is made of the product of the trip before.
func.func @main(%x: tensor<100x16xf32>, %w: tensor<16x16xf32>) -> tensor<100x16xf32> {
  %w_end, %all = ov.loop carried(%w) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<16x16xf32>, tensor<100x16xf32>) -> (tensor<16x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<16x16xf32>, %p: tensor<1x16xf32>):
    %e = ov.exp %p : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.mat_mul %e, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %t = ov.tanh %r : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %u_next = ov.multiply %u, %t : (tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%u_next : tensor<16x16xf32>) concat(%r : tensor<1x16xf32>)
  }
  func.return %all : tensor<100x16xf32>
}
