func.func @main(%n: tensor<i64>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %big = ov.constant dense<100000000> : tensor<i32> : tensor<i32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %number = ov.convert %i {destination_type = i32} : (tensor<i64>) -> tensor<i32>
    %m = ov.multiply %number, %big : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.add %v, %m : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}

// -----

// Each sum is limited, so that it does not wrap.
func.func @main(%n: tensor<i64>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>):
    %number = ov.convert %i {destination_type = i32} : (tensor<i64>) -> tensor<i32>
    %h = ov.subtract %number, %v : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
    %w = ov.clamp %h {min = -50.0 : f64, max = 60.0 : f64} : (tensor<4xi32>) -> tensor<4xi32>
    ov.next carried(%w : tensor<4xi32>)
  }
  func.return %r : tensor<4xi32>
}
