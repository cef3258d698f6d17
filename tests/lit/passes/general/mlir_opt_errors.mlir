// RUN: not loomir-opt %s -p 'mlir-opt{executable=no-such-tool}' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not loomir-opt %s -p 'mlir-opt{executable=ls arguments="--no-such-option"}' 2>&1 | filecheck %s --check-prefix=REFUSED

// MISSING: the pass mlir-opt failed: found no no-such-tool [pass-failed]
// MISSING-NEXT: install it, or name it: mlir-opt{executable=…}
// REFUSED: the pass mlir-opt failed: ls says: ls: {{.*}}no-such-option{{.*}} [pass-failed]
func.func @main() {
  func.return
}
