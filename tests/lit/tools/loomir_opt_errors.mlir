// RUN: not loomir-opt %s -p no-such-pass 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not loomir-opt %t.missing.mlir 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not loomir-opt %s -p 'ov-loop-unroll{nothing=1}' 2>&1 | filecheck %s --check-prefix=OPTION

// PASS: loomir-opt: error: 'no-such-pass' is not a pass pipeline: {{.*}} [bad-pipeline]
// FILE: loomir-opt: error: {{.*}}missing.mlir: cannot be read: No such file or directory [file-unreadable]
// OPTION: loomir-opt: error: 'ov-loop-unroll{nothing=1}' is not a pass pipeline
func.func @main() {
  func.return
}
