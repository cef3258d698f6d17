func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %w = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
  }
  func.return %all : tensor<100x4xi64>
}

// -----

// Each sum is rounded to a multiple of three.
func.func @main(%x: tensor<100x4xi64>, %a: tensor<1x4xi64>) -> tensor<100x4xi64> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xi64>, tensor<100x4xi64>) -> (tensor<1x4xi64>, tensor<100x4xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
    %h = ov.add %v, %p : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    %m = ov.floor_mod %h, %three : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %w = ov.subtract %h, %m : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
    ov.next carried(%w : tensor<1x4xi64>) concat(%w : tensor<1x4xi64>)
  }
  func.return %all : tensor<100x4xi64>
}
