func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// The sum is doubled where the part before was negative.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %none = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %c = ov.less %v, %none : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %d = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %h = ov.select %c, %d, %v : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %h, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
