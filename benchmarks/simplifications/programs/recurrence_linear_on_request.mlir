func.func @main(%x: tensor<1000x4xf32>, %y: tensor<1000x4xf32>, %a: tensor<1x4xf32>) -> tensor<1000x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1000x4xf32>, tensor<1000x4xf32>) -> (tensor<1x4xf32>, tensor<1000x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<1000x4xf32>
}

// -----

// The state goes through a function that is not linear.
func.func @main(%x: tensor<1000x4xf32>, %y: tensor<1000x4xf32>, %a: tensor<1x4xf32>) -> tensor<1000x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1000x4xf32>, tensor<1000x4xf32>) -> (tensor<1x4xf32>, tensor<1000x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %t = ov.tanh %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.multiply %t, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<1000x4xf32>
}
