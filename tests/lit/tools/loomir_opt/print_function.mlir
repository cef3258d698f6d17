// Programs between passes: the whole module, or one function of it.
// RUN: loomir-opt %s --cse --canonicalize --print-ir-after cse --print-ir-before canonicalize --print-ir-function one 2>&1 >/dev/null | filecheck %s --check-prefix=ONE
// RUN: loomir-opt %s --cse --print-ir-after cse 2>&1 >/dev/null | filecheck %s --check-prefix=ALL
// RUN: loomir-opt %s --cse --canonicalize --print-ir-after-change --print-ir-function main 2>&1 >/dev/null | filecheck %s --check-prefix=CHANGE
// RUN: loomir-opt %s --cse --print-ir-after cse --print-ir-function three 2>&1 >/dev/null | filecheck %s --check-prefix=NONE

// ONE: // -----// IR Dump After cse //----- //
// ONE-NEXT: func.func @one
// ONE-NEXT: ov.tanh
// ONE-NEXT: func.return
// ONE-NEXT: }
// ONE-NEXT: {{^$}}
// ONE-NEXT: // -----// IR Dump Before canonicalize //----- //
// ONE-NEXT: func.func @one
// ONE-NOT: @main

// ALL: // -----// IR Dump After cse //----- //
// ALL-NEXT: builtin.module
// ALL: @one
// ALL: @main

// cse changes only the other function.
// CHANGE-NOT: After cse
// CHANGE: // -----// IR Dump After canonicalize //----- //
// CHANGE-NEXT: func.func @main
// CHANGE-NEXT: func.return
// CHANGE-NOT: @one

// NONE: // no function @three
func.func @one(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unused = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %y = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r = ov.if %t -> (tensor<2xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    %e = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %e : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}
