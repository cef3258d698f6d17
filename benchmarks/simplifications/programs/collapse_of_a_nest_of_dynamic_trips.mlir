func.func @main(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %inner = ov.maximum %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %outer = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%outer) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%inner) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The inner trips are data of the outer trip.
func.func @main(%n: tensor<i64>, %k: tensor<8xi64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %outer = ov.maximum %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%outer) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %m = ov.gather %k, %i, %axis {out_of_range = "error"} : (tensor<8xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    %t = ov.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%t : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
