// REQUIRES: shell
// RUN: loomir-opt %s -p cse | filecheck %s
// RUN: loomir-opt - -p cse < %s | filecheck %s
// RUN: loomir-opt -p cse < %s | filecheck %s
// RUN: (loomir-opt %s -p cse -o %t && cat %t) | filecheck %s
// RUN: not loomir-opt %s -o /no-such-folder/out.mlir 2>&1 | filecheck %s --check-prefix=UNWRITABLE
// RUN: not loomir-opt --verify-stage loops < %s 2>&1 | filecheck %s --check-prefix=STDIN
// RUN: (loomir-opt %s -p cse > %t; echo "good: $?"; loomir-opt %s -p no-such 2> %t; echo "bad: $?"; loomir-opt %s --no-such 2> %t; echo "usage: $?") | filecheck %s --check-prefix=EXIT

// CHECK-LABEL: func.func @main
// CHECK-NEXT: ov.tanh
// CHECK-NEXT: func.return

// UNWRITABLE: loomir-opt: error: /no-such-folder/out.mlir: cannot be written: {{.*}} [file-unwritable]

// STDIN: loomir-opt: error: <stdin>:22:13: ov.constant: not an operation of the loops stage [not-of-stage]

// EXIT: good: 0
// EXIT-NEXT: bad: 1
// EXIT-NEXT: usage: 2
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unused = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %y = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
