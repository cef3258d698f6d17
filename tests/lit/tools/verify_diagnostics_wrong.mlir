// RUN: not loomir-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// CHECK: wrong.mlir:10:1: error: expected error "nothing is wrong" at line 11 was not produced
// CHECK: wrong.mlir:19:8: error: unexpected error: ov.mish: {{.*}} [element-type]
// CHECK: wrong.mlir:18:1: error: expected error "another text" at line 19 was not produced
// CHECK: wrong.mlir:27:8: error: 'error' where the line expects 'warning': ov.mish: {{.*}} [element-type]
// CHECK: wrong.mlir:26:1: error: expected warning "element type" at line 27 was not produced
// CHECK: wrong.mlir:34:1: error: '// expected-error@+1' is not an expectation
func.func @missing() {
  // expected-error@+1 {{nothing is wrong}}
  func.return
}

// -----

func.func @mismatched(%a: tensor<2xi32>) {
  // Only the text is another one.
  // expected-error@+1 {{another text}}
  %r = ov.mish %a : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

func.func @severity(%a: tensor<2xi32>) {
  // expected-warning@+1 {{element type}}
  %r = ov.mish %a : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

func.func @unreadable() {
  // expected-error@+1 {no braces}
  func.return
}
