// RUN: loomir-opt %s -p 'convert-ov-to-openvino{checks=drop}' | filecheck %s
// Without what stops a program: values as they are.

// CHECK-LABEL: func.func @index_anywhere
// CHECK-NEXT: %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %y = ov.gather %x, %i, %a {{.*}}: (tensor<8xf32>, tensor<2xi32>, tensor<i64>) -> tensor<2xf32>
// CHECK-NEXT: func.return %y
func.func @index_anywhere(%x: tensor<8xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.gather %x, %i, %a {out_of_range = "error"} : (tensor<8xf32>, tensor<2xi32>, tensor<i64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @condition
// CHECK-NEXT: func.return %x : tensor<2xf32>
func.func @condition(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = ov.require %x, %c {kind = "shape", reason = "of another shape"} : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
