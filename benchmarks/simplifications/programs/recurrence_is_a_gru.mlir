func.func @main(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %wz_8: tensor<8x16xf32>, %wr_8: tensor<8x16xf32>, %wh_8: tensor<8x16xf32>, %uz_8: tensor<16x16xf32>, %ur_8: tensor<16x16xf32>, %uh_8: tensor<16x16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %wz = ov.multiply %wz_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wr = ov.multiply %wr_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wh = ov.multiply %wh_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %uz = ov.multiply %uz_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %ur = ov.multiply %ur_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %uh = ov.multiply %uh_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xz = ov.mat_mul %p, %wz : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xr = ov.mat_mul %p, %wr : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xh = ov.mat_mul %p, %wh : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hz = ov.mat_mul %v, %uz : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %hr = ov.mat_mul %v, %ur : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sz = ov.add %xz, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %sr = ov.add %xr, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %z = ov.sigmoid %sz : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %hh = ov.mat_mul %rv, %uh : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sh = ov.add %xh, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %keep = ov.multiply %z, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %rest, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.add %new, %keep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}

// -----

// The update gate reads the candidate: no GRU has that.
func.func @main(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %wz_8: tensor<8x16xf32>, %wr_8: tensor<8x16xf32>, %wh_8: tensor<8x16xf32>, %uz_8: tensor<16x16xf32>, %ur_8: tensor<16x16xf32>, %uh_8: tensor<16x16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %wz = ov.multiply %wz_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wr = ov.multiply %wr_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %wh = ov.multiply %wh_8, %eighth : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %uz = ov.multiply %uz_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %ur = ov.multiply %ur_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %uh = ov.multiply %uh_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %h_end, %all = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xz = ov.mat_mul %p, %wz : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xr = ov.mat_mul %p, %wr : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %xh = ov.mat_mul %p, %wh : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
    %hr = ov.mat_mul %v, %ur : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sr = ov.add %xr, %hr : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %r = ov.sigmoid %sr : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %rv = ov.multiply %r, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %hh = ov.mat_mul %rv, %uh : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sh = ov.add %xh, %hh : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %c = ov.tanh %sh : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %hz = ov.mat_mul %c, %uz : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %sz = ov.add %xz, %hz : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %z = ov.sigmoid %sz : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %keep = ov.multiply %z, %v : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %rest = ov.subtract %one, %z : (tensor<f32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %rest, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.add %new, %keep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y : tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end : tensor<100x16xf32>, tensor<1x16xf32>
}
