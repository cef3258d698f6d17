// RUN: loomir-opt %s -p ov-infer,canonicalize,cse --check-each-pass --verify-each --print-ir-before canonicalize --print-ir-after cse 2>&1 | filecheck %s
// RUN: not loomir-opt %s -p canonicalize --check-each-pass --check-feeds 0 2>&1 | filecheck %s --check-prefix=FEEDS
// RUN: not loomir-opt %s -p canonicalize --check-inputs %t.npz 2>&1 | filecheck %s --check-prefix=INPUTS

// CHECK: // -----// IR Dump Before canonicalize //----- //
// CHECK: ov.constant
// CHECK: // -----// IR Dump After cse //----- //
// CHECK-NOT: IR Dump
// CHECK: ov.tanh
// FEEDS: feeds=0: it must be an integer between 1 and {{[0-9]+}} [bad-option]
// INPUTS: cannot be read as numpy arrays: {{.*}} [file-unreadable]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unused = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %y = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
