func.func @main(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %p = ov.power %b, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %v, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// The base changes in each iteration.
func.func @main(%n: tensor<i64>, %x: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %p = ov.power %v, %i : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.subtract %b, %p : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}
