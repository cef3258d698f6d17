func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s = ov.loop carried(%v) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next carried(%s : tensor<1x1xf32>)
  }
  func.return %r : tensor<1x1xf32>
}

// -----

// The state is doubled from row to row.
func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> tensor<1x1xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s = ov.loop carried(%v) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %u, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    %d = ov.add %s, %s : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    ov.next carried(%d : tensor<1x1xf32>)
  }
  func.return %r : tensor<1x1xf32>
}
