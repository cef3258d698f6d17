// Upstream's tool reads GRAPH in the generic form, and loomir reads what it prints.
// REQUIRES: mlir-opt
// RUN: loomir-opt %s --print-op-generic | mlir-opt-22 --allow-unregistered-dialect --mlir-print-op-generic | loomir-opt --verify-stage graph | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK: ov.loop trip(
// CHECK: ov.tanh
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    %t = ov.tanh %c : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%t : tensor<2xf32>)
  }
  func.return %y : tensor<2xf32>
}
