func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>) -> tensor<100x50xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x50xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %back = ov.constant dense<[1, 50]> : tensor<2xi64> : tensor<2xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s_end, %inner = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> (tensor<1x1xf32>, tensor<50x1xf32>) {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      ov.next carried(%w : tensor<1x1xf32>) concat(%w : tensor<1x1xf32>)
    }
    %row = ov.reshape %inner, %back : (tensor<50x1xf32>, tensor<2xi64>) -> tensor<1x50xf32>
    ov.next concat(%row : tensor<1x50xf32>)
  }
  func.return %all : tensor<100x50xf32>
}

// -----

// A condition on the row's own data ends its steps.
func.func @main(%x: tensor<100x50xf32>, %b: tensor<1x1xf32>, %most: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x50xf32>) -> tensor<100x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x50xf32>):
    %one = ov.constant dense<[50, 1]> : tensor<2xi64> : tensor<2xi64>
    %none = ov.constant dense<[]> : tensor<0xi64> : tensor<0xi64>
    %column = ov.reshape %p, %one : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
    %s_end = ov.loop carried(%b) sliced(%column) {slices = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<50x1xf32>) -> tensor<1x1xf32> {
    ^bb1(%j: tensor<i64>, %s: tensor<1x1xf32>, %q: tensor<1x1xf32>):
      %t = ov.multiply %s, %q : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %w = ov.tanh %t : (tensor<1x1xf32>) -> tensor<1x1xf32>
      %small = ov.less %w, %most : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
      %again = ov.reshape %small, %none : (tensor<1x1xi1>, tensor<0xi64>) -> tensor<i1>
      ov.next while(%again) carried(%w : tensor<1x1xf32>)
    }
    ov.next concat(%s_end : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}
