// RUN: loomir-opt %s --split-input-file -p convert-ov-to-linalg | filecheck %s

// A splat constant is a scalar in the body, where its number is seen: x ** 2 is a product.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
  // CHECK-NEXT: ^bb0(%[[V:[0-9a-z]+]]: f32, %{{.*}}: f32):
  // CHECK-NEXT:   %[[S:[0-9a-z]+]] = arith.mulf %[[V]], %[[V]] : f32
  // CHECK-NEXT:   linalg.yield %[[S]]
  %k = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = ov.power %x, %k : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// -----

// Division by a constant needs no guard …
// CHECK-LABEL: @main
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK:      ^bb0(%[[V:[0-9a-z]+]]: i32, %{{.*}}: i32):
  // CHECK-NEXT:   %[[Q:[0-9a-z]+]] = arith.floordivsi %[[V]], %{{.*}} : i32
  // CHECK-NEXT:   linalg.yield %[[Q]]
  %k = ov.constant dense<3> : tensor<4xi32> : tensor<4xi32>
  %r = ov.divide %x, %k : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// … any other one is by 1 where the divisor is 0 or -1.
// CHECK-LABEL: @main
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK:      ^bb0(%[[A:[0-9a-z]+]]: i32, %[[B:[0-9a-z]+]]: i32, %{{.*}}: i32):
  // CHECK-NEXT:   %[[N:[0-9a-z]+]] = arith.addi %[[B]], %{{.*}} : i32
  // CHECK-NEXT:   %[[SPECIAL:[0-9a-z]+]] = arith.cmpi ult, %[[N]], %{{.*}} : i32
  // CHECK-NEXT:   %[[SAFE:[0-9a-z]+]] = arith.select %[[SPECIAL]], %{{.*}}, %[[B]] : i32
  // CHECK-NEXT:   %[[Q:[0-9a-z]+]] = arith.divsi %[[A]], %[[SAFE]] : i32
  // CHECK-NEXT:   %[[P:[0-9a-z]+]] = arith.muli %[[A]], %[[B]] : i32
  // CHECK-NEXT:   %[[R:[0-9a-z]+]] = arith.select %[[SPECIAL]], %[[P]], %[[Q]] : i32
  // CHECK-NEXT:   linalg.yield %[[R]]
  %r = ov.divide %x, %y {m_pythondiv = false} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// Rank 0 is a scalar, and no tensor appears.
// CHECK-LABEL: @main
// CHECK-NOT:   linalg
// CHECK:       arith.cmpi ult, %{{.*}}, %{{.*}} : i8
func.func @main(%x: i8, %y: i8) -> i1 {
  %a = tensor.from_elements %x : tensor<i8>
  %b = tensor.from_elements %y : tensor<i8>
  %ua = builtin.unrealized_conversion_cast %a : tensor<i8> to tensor<ui8>
  %ub = builtin.unrealized_conversion_cast %b : tensor<i8> to tensor<ui8>
  %r = ov.less %ua, %ub : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
  %s = tensor.extract %r[] : tensor<i1>
  func.return %s : i1
}

// -----

// A static 1 is broadcast by its map.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>
  %r = ov.add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}
