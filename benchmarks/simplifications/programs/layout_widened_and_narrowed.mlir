func.func @main(%n: tensor<i64>, %x: tensor<8xi32>, %a: tensor<8xi64>) -> tensor<8xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xi32>):
    %t = ov.convert %v {destination_type = i64} : (tensor<8xi32>) -> tensor<8xi64>
    %m = ov.multiply %t, %a : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    %s = ov.add %m, %a : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    %back = ov.convert %s {destination_type = i32} : (tensor<8xi64>) -> tensor<8xi32>
    ov.next carried(%back : tensor<8xi32>)
  }
  func.return %r : tensor<8xi32>
}

// -----

// Floats: to narrow is to round, in each trip.
func.func @main(%n: tensor<i64>, %x: tensor<8xf16>, %a: tensor<8xf32>) -> tensor<8xf16> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf16>) -> tensor<8xf16> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf16>):
    %t = ov.convert %v {destination_type = f32} : (tensor<8xf16>) -> tensor<8xf32>
    %m = ov.multiply %t, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s = ov.add %m, %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %back = ov.convert %s {destination_type = f16} : (tensor<8xf32>) -> tensor<8xf16>
    ov.next carried(%back : tensor<8xf16>)
  }
  func.return %r : tensor<8xf16>
}
