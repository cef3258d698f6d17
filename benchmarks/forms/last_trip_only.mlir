func.func @main(%x: tensor<4000x64xf32>, %a: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %v_end, %y_end = ov.loop carried(%a, %a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<4000x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x64xf32>, %y: tensor<1x64xf32>, %p: tensor<1x64xf32>):
    %w = ov.add %v, %p : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %e = ov.exp %w : (tensor<1x64xf32>) -> tensor<1x64xf32>
    ov.next carried(%w, %e : tensor<1x64xf32>, tensor<1x64xf32>)
  }
  func.return %y_end : tensor<1x64xf32>
}

// -----

func.func @main(%x: tensor<4000x64xf32>, %a: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %v_end = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x64xf32>, tensor<4000x64xf32>) -> tensor<1x64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x64xf32>, %p: tensor<1x64xf32>):
    %w = ov.add %v, %p : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    ov.next carried(%w : tensor<1x64xf32>)
  }
  %e = ov.exp %v_end : (tensor<1x64xf32>) -> tensor<1x64xf32>
  func.return %e : tensor<1x64xf32>
}
