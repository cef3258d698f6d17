func.func @main(%x: tensor<100x4xf32>, %a: tensor<4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %all = ov.loop trip(%trips) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>):
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.multiply %g, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// The position of a row is in the row before: a list is followed.
func.func @main(%x: tensor<100x4xf32>, %k: tensor<100xi64>, %a: tensor<4xf32>) -> tensor<100x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %shape = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %start = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %k_end, %all = ov.loop trip(%trips) carried(%start) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %at: tensor<i64>):
    %g = ov.gather %x, %at, %axis {out_of_range = "error"} : (tensor<100x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.multiply %g, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = ov.reshape %q, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %at_next = ov.gather %k, %at, %axis {out_of_range = "error"} : (tensor<100xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%at_next : tensor<i64>) concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
