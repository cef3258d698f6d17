func.func @main(%n: tensor<i64>, %x: tensor<100x4xi64>, %a: tensor<4xi64>) -> tensor<4xi64> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 100.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%a) : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi64>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xi64>
    %w = ov.add %v, %g : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ov.next carried(%w : tensor<4xi64>)
  }
  func.return %r : tensor<4xi64>
}

// -----

// What is added is the row at the sum so far.
func.func @main(%n: tensor<i64>, %x: tensor<100xi64>, %a: tensor<i64>) -> tensor<i64> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %m = ov.clamp %n {min = 0.0 : f64, max = 100.0 : f64} : (tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%m) carried(%axis) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %at = ov.floor_mod %v, %limit : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = ov.add %v, %g : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.add %h, %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}
