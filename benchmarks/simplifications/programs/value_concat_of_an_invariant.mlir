func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %a: tensor<1x4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>) concat(%a : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<4xf32>, tensor<?x4xf32>
}

// -----

// What is joined changes.
func.func @main(%n: tensor<i64>, %x: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>):
    %w = ov.multiply %v, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%v : tensor<1x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}
