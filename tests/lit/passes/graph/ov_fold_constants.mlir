// RUN: loomir-opt %s -p ov-fold-constants,canonicalize | filecheck %s
// RUN: loomir-opt %s -p 'ov-fold-constants{keep-shapeof=true},canonicalize' | filecheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @shape
// CHECK-NEXT: ov.constant dense<[2, 3]> : tensor<2xi64>
// KEEP-LABEL: func.func @shape
// KEEP-NEXT: ov.shape_of
func.func @shape(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %s = ov.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>
  func.return %s : tensor<2xi64>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT: ov.constant dense<[4, 6]> : tensor<2xi32>
func.func @arithmetic() -> tensor<2xi32> {
  %a = ov.constant dense<[1, 2]> : tensor<2xi32> : tensor<2xi32>
  %b = ov.constant dense<[3, 4]> : tensor<2xi32> : tensor<2xi32>
  %c = ov.add %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return %c : tensor<2xi32>
}
