func.func @main(%x: tensor<512x64xf32>, %b: tensor<1x1xf32>) -> tensor<1x64xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<512x64xf32>) -> tensor<1x64xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<512x1xf32>):
    %s_end = ov.loop carried(%b) sliced(%p) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<512x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<1x64xf32>
}

// -----

func.func @main(%x: tensor<512x64xf32>, %b: tensor<1x1xf32>) -> tensor<1x64xf32> {
  %shape = ov.constant dense<[1, 64]> : tensor<2xi64> : tensor<2xi64>
  %first = ov.broadcast %b, %shape : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<1x64xf32>
  %all = ov.loop carried(%first) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x64xf32>, tensor<512x64xf32>) -> tensor<1x64xf32> {
  ^bb1(%j: tensor<i64>, %s: tensor<1x64xf32>, %q: tensor<1x64xf32>):
    %t = ov.multiply %s, %q : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %w = ov.tanh %t : (tensor<1x64xf32>) -> tensor<1x64xf32>
    ov.next carried(%w : tensor<1x64xf32>)
  }
  func.return %all : tensor<1x64xf32>
}
