func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s_end = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %u = ov.add %t, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %u : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}

// -----

// A row begins with what the row before ends with, times its own first element.
func.func @main(%x: tensor<100x50xf32>, %y: tensor<100x1xf32>, %b: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %v_end, %all = ov.loop carried(%b) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>, tensor<100x1xf32>) -> (tensor<1x1xf32>, tensor<100x1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>, %f: tensor<1x1xf32>):
    %shape = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %start = ov.multiply %v, %f : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %s_end = ov.loop carried(%start) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %u = ov.add %t, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %u : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>)
    }
    ov.next carried(%s_end : tensor<1x1xf32>) concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}
