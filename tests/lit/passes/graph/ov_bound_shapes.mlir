// RUN: loomir-opt %s -p ov-bound-shapes | filecheck %s
// RUN: loomir-opt %s -p 'ov-bound-shapes{capacity=5}' | filecheck %s

// CHECK-LABEL: func.func @straight
// CHECK: ov.range {{.*}} -> tensor<?xi64, #ov.bounds<8>>
func.func @straight(%n: tensor<i64>) -> tensor<?xi64> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %eight = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %m = ov.minimum %n, %eight : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.range %zero, %m, %one {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}

// Only what is dynamic; the bounds of an input are its own.
// CHECK-LABEL: func.func @loop
// CHECK: ov.loop {{.*}} : (tensor<2xf32>, tensor<?x2xf32, #ov.bounds<6, ?>>) -> (tensor<2xf32>, tensor<?x2xf32, #ov.bounds<6, ?>>)
// CHECK: ov.add %p, %p : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
func.func @loop(%x: tensor<?x2xf32> {loomir.name = "x", loomir.bounds = [6, 2]}, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %f, %r = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<2xf32>, tensor<?x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %p: tensor<1x2xf32>):
    %q = ov.add %p, %p : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%a : tensor<2xf32>) concat(%q : tensor<1x2xf32>)
  }
  func.return %f, %r : tensor<2xf32>, tensor<?x2xf32>
}

// What inference decides becomes a constant: the other branch needs no bounds.
// CHECK-LABEL: func.func @decided
// CHECK: %[[C:.*]] = ov.constant dense<true> : tensor<i1>
// CHECK-NEXT: ov.if %[[C]]
func.func @decided(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<?xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %c = ov.less %one, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.if %c -> (tensor<?xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    ov.yield %y : tensor<3xf32>
  }
  func.return %r : tensor<?xf32>
}
