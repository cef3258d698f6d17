func.func @main(%n: tensor<i64>, %x: tensor<4xi64>) -> tensor<4xi64> {
  %factor = ov.constant dense<6364136223846793005> : tensor<i64> : tensor<i64>
  %step = ov.constant dense<1442695040888963407> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %m = ov.multiply %v, %factor : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %m, %step : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// A square: the powers are not those of one number.
func.func @main(%n: tensor<i64>, %x: tensor<4xi64>) -> tensor<4xi64> {
  %step = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %m = ov.multiply %v, %v : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = ov.add %m, %step : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}
