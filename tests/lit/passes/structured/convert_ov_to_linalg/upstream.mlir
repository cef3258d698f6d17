// REQUIRES: mlir-opt
// RUN: loomir-opt %s -p ov-bound-shapes,convert-ov-loop-to-scf,convert-ov-to-linalg --verify-stage structured | mlir-opt-22 | filecheck %s

// Early exit from a loop that grows a value and concatenates, around a branch: upstream accepts the text.
// CHECK-LABEL: func.func @main
// CHECK: scf.while
// CHECK: scf.if
// CHECK-NOT: ov.
func.func @main(%x: tensor<2x3xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"}) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %row = ov.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32> : tensor<1x3xf32>
  %grown, %all = ov.loop trip(%four) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?x3xf32>):
    %early = ov.less %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = ov.if %early -> (tensor<?x3xf32>) {
      %longer = ov.concat %c, %row {axis = 0 : i64} : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
      ov.yield %longer : tensor<?x3xf32>
    } else {
      ov.yield %c : tensor<?x3xf32>
    }
    %more = ov.less %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%more) carried(%next : tensor<?x3xf32>) concat(%row : tensor<1x3xf32>)
  }
  func.return %grown, %all : tensor<?x3xf32>, tensor<?x3xf32>
}
