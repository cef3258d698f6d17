// RUN: loomir-opt --remarks %s --split-input-file --verify-diagnostics --allow-unregistered-dialect -p 'ov-loop-unroll{max-trips=1}' | filecheck %s
// RUN: not loomir-opt %s --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=PLAIN

// What is right is printed.
// CHECK-LABEL: func.func @remark
// CHECK: // -----
// CHECK-NOT: func.func
// PLAIN: loomir-opt: error: {{.*}}verify_diagnostics.mlir:25:22: not valid MLIR: Expected ':' after block argument name! [mlir-syntax]
// PLAIN-NEXT: func.func @syntax(%x tensor<2xf32>)
// PLAIN-NEXT: {{ +\^}}
func.func @remark(%x: tensor<2xf32>) -> tensor<2xf32> {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  // expected-remark@+1 {{ov-loop-unroll: left: ov.loop: its 3 trips are more than max-trips=1}}
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    %t = ov.tanh %c : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%t : tensor<2xf32>)
  }
  func.return %y : tensor<2xf32>
}

// -----

// expected-error@+1 {{[mlir-syntax]}}
func.func @syntax(%x tensor<2xf32>) {
  func.return
}

// -----

func.func @dominance(%x: tensor<2xf32>) {
  // expected-error-re@below {{ov.tanh: operand 0 (%t, a result of {{.*}}) is not defined before or not visible here [mlir-invalid]}}
  %y = ov.tanh %t : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note@+1 {{it is defined here}}
  %t = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// expected-error@+1 {{a region has 2 blocks, in loomir it has one [several-blocks]}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  func.return
}

// -----

func.func @named() {
  // expected-error@+1 {{'the layer' (arith.constant): }}
  %c = "arith.constant"() {value = 1 : i64} : () -> i32 loc("the layer")
  func.return
}
