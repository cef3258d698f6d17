// RUN: loomir-opt %s -p bufferize --split-input-file | filecheck %s

// RUN: loomir-opt %s -p bufferize,lower-linalg-to-loops --split-input-file | filecheck %s --check-prefix=LOOPS

// Padding that only linalg.generics read has no buffer: they say how to read the source, behind a cast that has the padded
// shape for the verifier.
// CHECK-LABEL: func.func @main
// CHECK-NOT: alloc
// CHECK: [[v:%[a-z0-9]+]] = builtin.unrealized_conversion_cast %x : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ((d0 + d1))>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: ins([[v]], %{{[0-9]+}}, %zero, %n : memref<?xf32>, memref<?xf32>, f32, index) outs(
// CHECK-SAME: {loomir.pads = [{operand = 0 : i64, low = array<i64: -9223372036854775808>, high = array<i64: 1>, dynamic = array<i64: 3>, value = 2 : i64}]} {
// CHECK-NEXT: ^bb0(%a: f32, %b: f32, %{{.*}}: f32, %{{.*}}: index, %o: f32):
func.func @main(%x: tensor<4xf32>, %wc: tensor<3xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.extract_slice %wc[0] [%n] [1] : tensor<3xf32> to tensor<?xf32>
  %p = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<?xf32>, tensor<?xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// The same where everything is static. The loops read the real memref, and the cast is gone.
// CHECK-LABEL: func.func @main
// CHECK: [[v:%[a-z0-9]+]] = builtin.unrealized_conversion_cast %x : memref<4xf32> to memref<6xf32>
// CHECK-NEXT: linalg.generic
// CHECK-SAME: ins([[v]], %w, %zero : memref<6xf32>, memref<3xf32>, f32) outs(
// CHECK-SAME: {loomir.pads = [{operand = 0 : i64, low = array<i64: 1>, high = array<i64: 1>, value = 2 : i64}]} {
// LOOPS-LABEL: func.func @main(%x: memref<4xf32> {loomir.role = "input"}, %w:
// LOOPS-NOT: unrealized_conversion_cast
// LOOPS: scf.if
// LOOPS-NEXT: memref.load %x[%{{.*}}] : memref<4xf32>
// LOOPS-NOT: unrealized_conversion_cast
// LOOPS: func.return
func.func @main(%x: tensor<4xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<6xf32>, tensor<3xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// Padding that is used otherwise too is made: a fill and a copy into its middle.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<2x6xf32> {loomir.role = "output"}
// CHECK: linalg.fill ins(%zero : f32) outs([[out]] : memref<2x6xf32>)
// CHECK-NEXT: [[middle:%[0-9]+]] = memref.subview [[out]][0, 1] [2, 4] [1, 1] : memref<2x6xf32> to memref<2x4xf32, strided<[6, 1], offset: 1>>
// CHECK-NEXT: linalg.copy ins(%x : memref<2x4xf32>) outs([[middle]] : memref<2x4xf32, strided<[6, 1], offset: 1>>)
// CHECK-NEXT: func.return
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x4xf32> to tensor<2x6xf32>
  return %p : tensor<2x6xf32>
}

// -----

// A padding writes all of its buffer, so the first part of it cannot stand in what it is put into: it is copied. (Seed 7, program 180.)
// CHECK-LABEL: func.func @first_part_of_a_padding
// CHECK-NEXT: [[b:%[0-9]+]] = memref.alloc() : memref<6xf32>
// CHECK:      linalg.fill ins(%f : f32) outs([[b]] : memref<6xf32>)
// CHECK:      [[s:%[0-9]+]] = memref.subview [[b]][0] [%n] [1] : memref<6xf32> to memref<?xf32>
// CHECK-NEXT: [[t:%[0-9]+]] = memref.subview %{{.*}}[0] [%n] [1] : memref<5xf32> to memref<?xf32>
// CHECK-NEXT: linalg.copy ins([[s]] : memref<?xf32>) outs([[t]] : memref<?xf32>)
func.func @first_part_of_a_padding(%x: tensor<2xf32>, %n: index) -> tensor<5xf32> {
  %f = arith.constant 7.500000e-01 : f32
  %p = tensor.pad %x low[2] high[2] {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<2xf32> to tensor<6xf32>
  %s = tensor.extract_slice %p[0] [%n] [1] : tensor<6xf32> to tensor<?xf32>
  %e = tensor.empty() : tensor<5xf32>
  %r = tensor.insert_slice %s into %e[0] [%n] [1] : tensor<?xf32> into tensor<5xf32>
  func.return %r : tensor<5xf32>
}
