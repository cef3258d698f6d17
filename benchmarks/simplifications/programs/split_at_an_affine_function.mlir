func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %seven = ov.constant dense<7> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.multiply %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.add %m, %seven : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %early = ov.less %s, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// In 8 bits the product with an input wraps: it is less than the limit again and again.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %k: tensor<i8>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %limit = ov.constant dense<100> : tensor<i8> : tensor<i8>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %number = ov.convert %i {destination_type = i8} : (tensor<i64>) -> tensor<i8>
    %s = ov.multiply %number, %k : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %early = ov.less %s, %limit : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}
