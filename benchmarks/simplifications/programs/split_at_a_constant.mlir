func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %early = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
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

// What decides is the count of the flags that are true, modulo five: it is data.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>, %flags: tensor<100xi1>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r, %k_end = ov.loop trip(%trips) carried(%x, %zero) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %k: tensor<i64>):
    %flag = ov.gather %flags, %i, %zero : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %step = ov.convert %flag {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = ov.floor_mod %k_next, %five : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %early = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %early -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q, %k_next : tensor<16x16xf32>, tensor<i64>)
  }
  func.return %r : tensor<16x16xf32>
}
