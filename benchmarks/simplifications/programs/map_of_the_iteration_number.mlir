func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<100x4xf32> {
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<100x4xf32>) -> tensor<100x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.multiply %a, %number : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %r = ov.add %p, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %all : tensor<100x4xf32>
}

// -----

// The factor is halved where the part before was positive.
func.func @main(%x: tensor<100x1xf32>, %a: tensor<1x1xf32>) -> tensor<100x1xf32> {
  %zero = ov.constant dense<0.0> : tensor<1x1xf32> : tensor<1x1xf32>
  %half = ov.constant dense<0.5> : tensor<1x1xf32> : tensor<1x1xf32>
  %v_end, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x1xf32>, tensor<100x1xf32>) -> (tensor<1x1xf32>, tensor<100x1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x1xf32>):
    %r = ov.subtract %p, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %positive = ov.greater %r, %zero : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %less = ov.multiply %r, %half : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %w = ov.select %positive, %less, %p : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    ov.next carried(%w : tensor<1x1xf32>) concat(%r : tensor<1x1xf32>)
  }
  func.return %all : tensor<100x1xf32>
}
