func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %seventy = ov.constant dense<70> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %from = ov.greater_equal %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %to = ov.less %i, %seventy : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %within = ov.logical_and %from, %to : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %w = ov.if %within -> (tensor<16x16xf32>) {
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

// Whether the number of the trip is within is decided by bits of a hash.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %k: tensor<i64>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %mask = ov.constant dense<64> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.multiply %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = ov.multiply %m, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = ov.bitwise_and %h, %mask : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %within = ov.greater %b, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %within -> (tensor<16x16xf32>) {
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
