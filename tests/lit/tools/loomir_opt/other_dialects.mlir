// Operations of dialects that loomir does not know pass through, in the generic form.
// RUN: loomir-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s
// RUN: not loomir-opt %s 2>&1 | filecheck %s --check-prefix=UNKNOWN

// CHECK: %y = "acme.twice"(%x) {by = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
// UNKNOWN: other_dialects.mlir:8:8: not valid MLIR: {{.*}}acme.twice{{.*}} [mlir-syntax]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "acme.twice"(%x) {by = 2} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
