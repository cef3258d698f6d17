func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%trips) carried(%x) : (tensor<i64>, tensor<16x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>):
    %m = ov.floor_mod %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %first = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %second = ov.equal %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %s = ov.if %second -> (tensor<16x16xf32>) {
        %p = ov.mat_mul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      } else {
        %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
        ov.yield %p : tensor<16x16xf32>
      }
      ov.yield %s : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    ov.next carried(%q : tensor<16x16xf32>)
  }
  func.return %r : tensor<16x16xf32>
}

// -----

// The residue of what a state has counted.
func.func @main(%x: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %trips = ov.constant dense<99> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r, %k_end = ov.loop trip(%trips) carried(%x, %zero) : (tensor<i64>, tensor<16x16xf32>, tensor<i64>) -> (tensor<16x16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<16x16xf32>, %k: tensor<i64>):
    %m = ov.floor_mod %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %first = ov.equal %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %first -> (tensor<16x16xf32>) {
      %p = ov.mat_mul %v, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    } else {
      %p = ov.exp %v : (tensor<16x16xf32>) -> tensor<16x16xf32>
      ov.yield %p : tensor<16x16xf32>
    }
    %q = ov.tanh %w : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %most = ov.reduce_max %q, %axes : (tensor<16x16xf32>, tensor<2xi64>) -> tensor<f32>
    %high = ov.greater %most, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %step = ov.convert %high {destination_type = i64} : (tensor<i1>) -> tensor<i64>
    %k_next = ov.add %k, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%q, %k_next : tensor<16x16xf32>, tensor<i64>)
  }
  func.return %r : tensor<16x16xf32>
}
