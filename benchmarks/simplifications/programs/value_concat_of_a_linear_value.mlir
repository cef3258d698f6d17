func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi64>) {
  %front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %k = ov.multiply %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %p = ov.unsqueeze %l, %front : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next carried(%w : tensor<4xf32>) concat(%p : tensor<1xi64>)
  }
  func.return %r, %all : tensor<4xf32>, tensor<?xi64>
}

// -----

// What is joined is a sum of data.
func.func @main(%n: tensor<i64>, %x: tensor<1xi64>, %b: tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xi64>):
    %s = ov.multiply %v, %v : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %w = ov.subtract %b, %s : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    ov.next carried(%w : tensor<1xi64>) concat(%w : tensor<1xi64>)
  }
  func.return %r, %all : tensor<1xi64>, tensor<?xi64>
}
