func.func @main(%x: tensor<512x128xf32>, %w: tensor<128x128xf32>, %a: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x128xf32>, tensor<512x128xf32>) -> tensor<1x128xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %p: tensor<1x128xf32>):
    %e = ov.exp %p : (tensor<1x128xf32>) -> tensor<1x128xf32>
    %m = ov.mat_mul %e, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %r = ov.relu %m : (tensor<1x128xf32>) -> tensor<1x128xf32>
    %s = ov.add %v, %r : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %t = ov.tanh %s : (tensor<1x128xf32>) -> tensor<1x128xf32>
    ov.next carried(%t : tensor<1x128xf32>)
  }
  func.return %v_end : tensor<1x128xf32>
}

// -----

func.func @main(%x: tensor<512x128xf32>, %w: tensor<128x128xf32>, %a: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %e = ov.exp %x : (tensor<512x128xf32>) -> tensor<512x128xf32>
  %m = ov.mat_mul %e, %w : (tensor<512x128xf32>, tensor<128x128xf32>) -> tensor<512x128xf32>
  %r = ov.relu %m : (tensor<512x128xf32>) -> tensor<512x128xf32>
  %v_end = ov.loop carried(%a) sliced(%r) {slices = [#ov.slice<axis = 0>]} : (tensor<1x128xf32>, tensor<512x128xf32>) -> tensor<1x128xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %p: tensor<1x128xf32>):
    %s = ov.add %v, %p : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %t = ov.tanh %s : (tensor<1x128xf32>) -> tensor<1x128xf32>
    ov.next carried(%t : tensor<1x128xf32>)
  }
  func.return %v_end : tensor<1x128xf32>
}
