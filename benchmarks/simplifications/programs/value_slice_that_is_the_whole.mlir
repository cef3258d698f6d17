func.func @main(%x: tensor<8x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, stride = 8, part_size = 8>]} : (tensor<4xf32>, tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<8x4xf32>):
    %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %s = ov.reduce_sum %p, %front : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The part is one of many.
func.func @main(%x: tensor<1024x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, stride = 8, part_size = 8>]} : (tensor<4xf32>, tensor<1024x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<8x4xf32>):
    %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %s = ov.reduce_sum %p, %front : (tensor<8x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %w = ov.add %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
