func.func @main(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %s: tensor<1x16xf32>, %w_8: tensor<8x64xf32>, %u_8: tensor<16x64xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
  %zero = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<[16]> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<[32]> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<[48]> : tensor<1xi64> : tensor<1xi64>
  %four = ov.constant dense<[64]> : tensor<1xi64> : tensor<1xi64>
  %step = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x64xf32>) -> tensor<1x64xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
    %gates = ov.add %xw, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %gi = ov.slice %gates, %zero, %one, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gf = ov.slice %gates, %one, %two, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gc = ov.slice %gates, %two, %three, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %go = ov.slice %gates, %three, %four, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %si = ov.sigmoid %gi : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %sf = ov.sigmoid %gf : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %tc = ov.tanh %gc : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %so = ov.sigmoid %go : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %kept = ov.multiply %sf, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %si, %tc : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %cell = ov.add %kept, %new : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %out = ov.tanh %cell : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.multiply %so, %out : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y, %cell : tensor<1x16xf32>, tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end, %s_end : tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

// The output gate of a trip reads the new cell through a matrix: no LSTM has that.
func.func @main(%x: tensor<100x8xf32>, %h: tensor<1x16xf32>, %s: tensor<1x16xf32>, %w_8: tensor<8x64xf32>, %u_8: tensor<16x64xf32>, %o_8: tensor<16x16xf32>) -> (tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
  %eighth = ov.constant dense<0.125> : tensor<f32> : tensor<f32>
  %w = ov.multiply %w_8, %eighth : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %u = ov.multiply %u_8, %eighth : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
  %o = ov.multiply %o_8, %eighth : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %zero = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<[16]> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<[32]> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<[48]> : tensor<1xi64> : tensor<1xi64>
  %four = ov.constant dense<[64]> : tensor<1xi64> : tensor<1xi64>
  %step = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %h_end, %s_end, %all = ov.loop carried(%h, %s) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x8xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<100x16xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x16xf32>, %c: tensor<1x16xf32>, %p: tensor<1x8xf32>):
    %xw = ov.mat_mul %p, %w : (tensor<1x8xf32>, tensor<8x64xf32>) -> tensor<1x64xf32>
    %hu = ov.mat_mul %v, %u : (tensor<1x16xf32>, tensor<16x64xf32>) -> tensor<1x64xf32>
    %gates = ov.add %xw, %hu : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %gi = ov.slice %gates, %zero, %one, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gf = ov.slice %gates, %one, %two, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %gc = ov.slice %gates, %two, %three, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %go = ov.slice %gates, %three, %four, %step, %axis : (tensor<1x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16xf32>
    %si = ov.sigmoid %gi : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %sf = ov.sigmoid %gf : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %tc = ov.tanh %gc : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %kept = ov.multiply %sf, %c : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %new = ov.multiply %si, %tc : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %cell = ov.add %kept, %new : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %peep = ov.mat_mul %cell, %o : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
    %g = ov.add %go, %peep : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %so = ov.sigmoid %g : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %out = ov.tanh %cell : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %y = ov.multiply %so, %out : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    ov.next carried(%y, %cell : tensor<1x16xf32>, tensor<1x16xf32>) concat(%y : tensor<1x16xf32>)
  }
  func.return %all, %h_end, %s_end : tensor<100x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
}
