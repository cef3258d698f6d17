func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x50xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x50xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %inner = ov.loop sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<50x1xf32>) -> tensor<50x1xf32> {
    ^bb1(%j: tensor<i64>, %q: tensor<1x1xf32>):
      %s = ov.multiply %q, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %t = ov.tanh %s : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next concat(%t : tensor<1x1xf32>)
    }
    %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
    ov.next concat(%row : tensor<1x50xf32>)
  }
  func.return %all : tensor<100x50xf32>
}

// -----

// The inner loop continues with what it made of the element before, and with the row before.
func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x50xf32> {
  %v_end, %all = ov.loop carried(%b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x50xf32>) -> (tensor<1x1xf32>, tensor<100x50xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %start = ov.tanh %v : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %u_end, %inner = ov.loop carried(%start) sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> (tensor<1x1xf32>, tensor<50x1xf32>) {
    ^bb1(%j: tensor<i64>, %u: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %s = ov.multiply %q, %u : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %t = ov.tanh %s : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%t : tensor<1x1xf32>) concat(%t : tensor<1x1xf32>)
    }
    %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
    ov.next carried(%u_end : tensor<1x1xf32>) concat(%row : tensor<1x50xf32>)
  }
  func.return %all : tensor<100x50xf32>
}
