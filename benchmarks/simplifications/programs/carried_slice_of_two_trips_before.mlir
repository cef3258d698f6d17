func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.add %u, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.add %d, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.exp %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%v, %p : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// Where the slice is negative the result takes its place: what comes next depends on it.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %r, %s, %all = ov.loop carried(%a, %b) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<100x4xf32>) {
  ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %d = ov.add %u, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %e = ov.multiply %d, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = ov.exp %e : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = ov.less %p, %zero : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %kept = ov.select %c, %q, %p : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%v, %kept : tensor<1x4xf32>, tensor<1x4xf32>) concat(%q : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}
