func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %v_end, %all = ov.loop carried(%a, %none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<0x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %s, %t {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// -----

// A row is put in front or behind, as the data says.
func.func @main(%x: tensor<100x4xf32>, %a: tensor<1x4xf32>, %flags: tensor<100xi1>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %v_end, %all = ov.loop carried(%a, %none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<0x4xf32>, tensor<100x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = ov.tanh %m : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = ov.gather %flags, %i, %axis : (tensor<100xi1>, tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = ov.if %c -> (tensor<?x4xf32>) {
      %q = ov.concat %s, %t {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      ov.yield %q : tensor<?x4xf32>
    } else {
      %q = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
      ov.yield %q : tensor<?x4xf32>
    }
    ov.next carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}
