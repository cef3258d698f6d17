func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %m = ov.constant dense<30> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
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

// The outer loop adds a part of its own between the inner ones.
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %m = ov.constant dense<30> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %p = ov.multiply %u, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %q = ov.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    %number = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %t = ov.add %s, %number : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.next carried(%t : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
