func.func @main(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %w_8: tensor<8x16xf32>, %u_8: tensor<16x16xf32>, %b: tensor<16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %xw, %hu : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %t = ov.add %s, %b : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
    %y = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}

// -----

// The state is added to itself past the activation: no RNN does that.
func.func @main(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %w_8: tensor<8x16xf32>, %u_8: tensor<16x16xf32>, %b: tensor<16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %s = ov.add %xw, %hu : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %t = ov.add %s, %b : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
    %f = ov.tanh %t : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.add %f, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}
