func.func @main(%x: tensor<4096x64xf32>, %a: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x64xf32>, tensor<4096x64xf32>) -> tensor<1x64xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x64xf32>, %p: tensor<1x64xf32>):
    %m = ov.multiply %p, %p : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %w = ov.exp %m : (tensor<1x64xf32>) -> tensor<1x64xf32>
    ov.next carried(%w : tensor<1x64xf32>)
  }
  func.return %r : tensor<1x64xf32>
}

// -----

func.func @main(%x: tensor<4096x64xf32>, %a: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %b = ov.constant dense<4095> : tensor<1xi64> : tensor<1xi64>
  %e = ov.constant dense<4096> : tensor<1xi64> : tensor<1xi64>
  %s = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %z = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %p = ov.slice %x, %b, %e, %s, %z : (tensor<4096x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x64xf32>
  %m = ov.multiply %p, %p : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %w = ov.exp %m : (tensor<1x64xf32>) -> tensor<1x64xf32>
  func.return %w : tensor<1x64xf32>
}
