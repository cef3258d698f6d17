func.func @main(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %u: tensor<4xi64>, %v: tensor<4xi64>):
    %k = ov.add %u, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %v, %u : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%k, %w : tensor<4xi64>, tensor<4xi64>)
  }
  func.return %r, %s : tensor<4xi64>, tensor<4xi64>
}

// -----

// The sum is multiplied with the polynomial.
func.func @main(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %r, %s = ov.loop trip(%n) carried(%x, %b) : (tensor<i64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %u: tensor<4xi64>, %v: tensor<4xi64>):
    %k = ov.add %u, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %m = ov.multiply %v, %u : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = ov.add %m, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    ov.next carried(%k, %w : tensor<4xi64>, tensor<4xi64>)
  }
  func.return %r, %s : tensor<4xi64>, tensor<4xi64>
}
