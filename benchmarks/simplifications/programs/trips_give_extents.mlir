func.func @main(%x: tensor<1x2xf32>, %a: tensor<1x2xf32>) -> tensor<?x2xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<400> : tensor<i64> : tensor<i64>
  %k_end, %x_end, %all = ov.loop carried(%zero, %x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<i64>, tensor<1x2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %v: tensor<1x2xf32>):
    %w = ov.add %v, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %k_next = ov.add %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k_next, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%k_next, %w : tensor<i64>, tensor<1x2xf32>) concat(%w : tensor<1x2xf32>)
  }
  func.return %all : tensor<?x2xf32>
}

// -----

// A condition on data may end the loop before.
func.func @main(%most: tensor<1xf32>, %x: tensor<1xf32>, %a: tensor<1xf32>) -> tensor<?xf32> {
  %trips = ov.constant dense<200> : tensor<i64> : tensor<i64>
  %front = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
  %x_end, %all = ov.loop trip(%trips) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xf32>) -> (tensor<1xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>):
    %w = ov.add %v, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %small = ov.less %w, %most : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %again = ov.reshape %small, %front {special_zero = false} : (tensor<1xi1>, tensor<0xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1xf32>) concat(%w : tensor<1xf32>)
  }
  func.return %all : tensor<?xf32>
}
