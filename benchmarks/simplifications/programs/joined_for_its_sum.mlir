func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<1x4xi64> {
  %axis = ov.constant dense<[0]> : tensor<1xi64> : tensor<1xi64>
  %thousand = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %m = ov.multiply %v, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %d = ov.subtract %m, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %s = ov.floor_mod %d, %thousand : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    ov.next carried(%s : tensor<1x4xi64>) concat(%s : tensor<1x4xi64>)
  }
  %sum = ov.reduce_sum %all, %axis {keep_dims = true} : (tensor<100x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
  func.return %sum : tensor<1x4xi64>
}

// -----

// A sum that begins at the last part, as far as each: all are needed before the first is known.
func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %thousand = ov.constant dense<1000> : tensor<i64> : tensor<i64>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %m = ov.multiply %v, %v : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %d = ov.subtract %m, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %s = ov.floor_mod %d, %thousand : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    ov.next carried(%s : tensor<1x4xi64>) concat(%s : tensor<1x4xi64>)
  }
  %sums = ov.cum_sum %all, %axis {reverse = true} : (tensor<100x4xi64>, tensor<i64>) -> tensor<100x4xi64>
  %r = ov.multiply %sums, %all : (tensor<100x4xi64>, tensor<100x4xi64>) -> tensor<100x4xi64>
  func.return %r : tensor<100x4xi64>
}
