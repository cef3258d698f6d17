// RUN: loomir-opt %s | loomir-opt | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

// CHECK-LABEL: func.func @fail
// CHECK: ov.fail "'Squeeze:y' (ov.squeeze): dimension 0 is 3, not 1" : tensor<?xf32>, tensor<i64>
func.func @fail() -> (tensor<?xf32>, tensor<i64>) {
  %a, %b = ov.fail "'Squeeze:y' (ov.squeeze): dimension 0 is 3, not 1" : tensor<?xf32>, tensor<i64>
  func.return %a, %b : tensor<?xf32>, tensor<i64>
}
