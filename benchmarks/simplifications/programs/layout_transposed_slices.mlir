func.func @main(%x: tensor<8x100xf32>, %a: tensor<1x8xf32>) -> tensor<100x8xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 0>]} : (tensor<1x8xf32>, tensor<8x100xf32>) -> (tensor<1x8xf32>, tensor<100x8xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x8xf32>, %p: tensor<8x1xf32>):
    %t = ov.transpose %p, %order : (tensor<8x1xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    %m = ov.multiply %v, %t : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %w = ov.tanh %m : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ov.next carried(%w : tensor<1x8xf32>) concat(%w : tensor<1x8xf32>)
  }
  func.return %all : tensor<100x8xf32>
}

// -----

// The order of the axes depends on the trip's data: what is a row is chosen.
func.func @main(%x: tensor<100x8x8xf32>, %a: tensor<1x8x8xf32>, %flags: tensor<100xi1>) -> tensor<100x8x8xf32> {
  %order = ov.constant dense<[0, 2, 1]> : tensor<3xi64> : tensor<3xi64>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x8x8xf32>, tensor<100x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<100x8x8xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x8x8xf32>, %p: tensor<1x8x8xf32>):
    %m = ov.multiply %v, %p : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %w = ov.tanh %m : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %c = ov.gather %flags, %i, %axis : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %q = ov.if %c -> (tensor<1x8x8xf32>) {
      %t = ov.transpose %w, %order : (tensor<1x8x8xf32>, tensor<3xi64>) -> tensor<1x8x8xf32>
      ov.yield %t : tensor<1x8x8xf32>
    } else {
      ov.yield %w : tensor<1x8x8xf32>
    }
    ov.next carried(%q : tensor<1x8x8xf32>) concat(%q : tensor<1x8x8xf32>)
  }
  func.return %all : tensor<100x8x8xf32>
}
