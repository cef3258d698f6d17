// A part with an error does not end the others; the status is that of a failure.
// RUN: not loomir-opt %s --split-input-file 2>/dev/null | filecheck %s
// RUN: not loomir-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERRORS

// CHECK: func.func @first
// CHECK: // -----
// CHECK-NEXT: // -----
// CHECK-NEXT: // -----
// CHECK: func.func @last
// ERRORS: loomir-opt: error: {{.*}}split_input_file.mlir:20:8: not valid MLIR: Operation ov.tanhh is not registered; did you mean 'ov.tanh'? [mlir-syntax]
// ERRORS: loomir-opt: error: {{.*}}split_input_file.mlir:27:15: not valid MLIR: value %y is used but not defined [mlir-syntax]
// ERRORS-NEXT: %z = ov.add %y, %w
// ERRORS-NEXT: {{^}}              ^{{$}}
// ERRORS-NOT: error
func.func @first(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
// -----
func.func @second(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = ov.tanhh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
// -----
func.func @third(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = ov.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = ov.add %y, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}
// -----
func.func @last(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
