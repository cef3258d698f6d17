func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %last = ov.constant dense<99> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.abs %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  %s = ov.gather %all, %last, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  func.return %s : tensor<1x4xf32>
}

// -----

// A part from the middle.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %middle = ov.constant dense<50> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.abs %w : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  %s = ov.gather %all, %middle, %axis : (tensor<100x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %t = ov.add %s, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return %t : tensor<1x4xf32>
}
