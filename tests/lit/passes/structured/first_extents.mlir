// RUN: loomir-opt %s -p 'ov-bound-shapes{capacity=4},convert-ov-loop-to-scf,convert-ov-to-linalg' | filecheck %s

// After no trip, extents are those that the first one would give: those of x, which the loop carries.
func.func @main(%x: tensor<?x3xf32> {loomir.name = "x", loomir.bounds = [5 : i64, 3 : i64]}, %n: tensor<i64> {loomir.name = "n"})
    -> (tensor<?x?x3xf32> {loomir.name = "z"}) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %y, %z = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x?x3xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?x3xf32>):
    %w = ov.exp %v : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %p = ov.unsqueeze %w, %zero : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<1x?x3xf32>
    ov.next carried(%w : tensor<?x3xf32>) concat(%p : tensor<1x?x3xf32>)
  }
  func.return %z : tensor<?x?x3xf32>
}
// CHECK:      func.func @main(%x: {{.*}}, %[[ROWS:.*]]: index {loomir.dim = "x:0"}
// CHECK-NOT:  math.exp
// CHECK:      scf.for %{{.*}} iter_args(%v = %x, %{{.*}} = %[[ROWS]], %{{.*}} = %{{.*}}, %{{.*}} = %[[ROWS]])
// CHECK:      math.exp
// CHECK-NOT:  math.exp
