// RUN: loomir-opt %s -p convert-ov-to-linalg | filecheck %s

// CHECK-LABEL: func.func @scalars(%s: f32, %t: f32) -> f32
// CHECK-NEXT: %[[R:.*]] = arith.addf %s, %t : f32
// CHECK-NEXT: func.return %[[R]] : f32
func.func @scalars(%s: f32, %t: f32) -> f32 {
  %a = tensor.from_elements %s : tensor<f32>
  %b = tensor.from_elements %t : tensor<f32>
  %c = ov.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = tensor.extract %c[] : tensor<f32>
  func.return %r : f32
}

// Constants: equal ones are one argument, a splat is a scalar.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: (%x: tensor<2xf32>, %[[K:.*]]: tensor<2xf32> {loomir.blob = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}) -> tensor<2xf32>
// CHECK: %[[S:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%x, %[[K]] : tensor<2xf32>, tensor<2xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[K]] : tensor<2xf32>, tensor<2xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2xf32>)
// CHECK: arith.addf %{{.*}}, %[[S]] : f32
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %l = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %s = ov.constant dense<3.0> : tensor<2xf32> : tensor<2xf32>
  %a = ov.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = ov.add %a, %l : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = ov.add %b, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %c : tensor<2xf32>
}

// The value is computed in a capacity tensor, and goes back into the very same one.
// CHECK-LABEL: func.func @capacity
// CHECK: %[[E:.*]] = tensor.empty() : tensor<12xf32>
// CHECK-NOT: tensor.empty
// CHECK: linalg.generic
// CHECK-NOT: tensor.dim
// CHECK: tensor.insert_slice %{{.*}} into %[[E]][0] [%{{.*}}] [1] : tensor<?xf32> into tensor<12xf32>
// CHECK: func.return %{{.*}}, %n : tensor<12xf32>, index
func.func @capacity(%c: tensor<12xf32>, %n: index) -> (tensor<12xf32>, index) {
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %m = arith.muli %n, %c3 : index
  %f = tensor.extract_slice %c[0] [%m] [1] : tensor<12xf32> to tensor<?xf32>
  %x = tensor.expand_shape %f [[0, 1]] output_shape [%n, 3] {loomir.bounds = #ov.bounds<4, 3>} : tensor<?xf32> into tensor<?x3xf32>
  %y = ov.add %x, %x : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %d = tensor.dim %y, %c0 : tensor<?x3xf32>
  %k = arith.muli %d, %c3 : index
  %yf = tensor.collapse_shape %y [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %e = tensor.empty() : tensor<12xf32>
  %r = tensor.insert_slice %yf into %e[0] [%k] [1] : tensor<?xf32> into tensor<12xf32>
  func.return %r, %d : tensor<12xf32>, index
}
