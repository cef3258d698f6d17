func.func @main(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf64> {
  %wide = ov.convert %x {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
  %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<8xf64>) -> tensor<8xf32>
    %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %w = ov.tanh %m : (tensor<8xf32>) -> tensor<8xf32>
    %back = ov.convert %w {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
    ov.next carried(%back : tensor<8xf64>)
  }
  func.return %r : tensor<8xf64>
}

// -----

// What is carried has more digits than what is computed: a sum of both is kept.
func.func @main(%n: tensor<i64>, %x: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf64> {
  %wide = ov.convert %x {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
  %r = ov.loop trip(%n) carried(%wide) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf64>):
    %t = ov.convert %v {destination_type = f32} : (tensor<8xf64>) -> tensor<8xf32>
    %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %w = ov.tanh %m : (tensor<8xf32>) -> tensor<8xf32>
    %back = ov.convert %w {destination_type = f64} : (tensor<8xf32>) -> tensor<8xf64>
    %s = ov.add %back, %v : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    ov.next carried(%s : tensor<8xf64>)
  }
  func.return %r : tensor<8xf64>
}
