func.func @main(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %r = ov.loop trip(%n) carried(%k) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %v: tensor<i64>):
    %w = ov.add %v, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// -----

func.func @main(%n: tensor<i64>, %k: tensor<i64>) -> tensor<i64> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %m = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %h = ov.divide %m, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %l = ov.subtract %m, %h : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %a = ov.add %l, %l : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %b = ov.subtract %a, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %s = ov.multiply %h, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.add %k, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
  func.return %r : tensor<i64>
}
