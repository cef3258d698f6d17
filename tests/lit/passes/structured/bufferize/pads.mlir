// RUN: loomir-opt %s -p bufferize --split-input-file --disable-verify | filecheck %s

// Padding that only linalg.generics read has no buffer: they say how to read the source.
// CHECK-LABEL: func.func @main
// CHECK-NOT: alloc
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ((d0 + d1))>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: ins(%x, %w, %zero, %n : memref<4xf32>, memref<3xf32>, f32, index) outs(
// CHECK-SAME: attrs = {loomir.pads = [{dynamic = array<i64: 3>, high = array<i64: 1>, low = array<i64: -9223372036854775808>, operand = 0 : i64, value = 2 : i64}]} {
// CHECK-NEXT: ^bb0(%a: f32, %b: f32, %{{.*}}: f32, %{{.*}}: index, %o: f32):
func.func @main(%x: tensor<4xf32>, %w: tensor<3xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<?xf32>, tensor<3xf32>) outs(%f : tensor<4xf32>) {
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

// The source of such padding is read by the generic, so it is not overwritten before.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}
// CHECK: linalg.fill ins(%zero : f32) outs([[x:%[0-9]+]] : memref<4xf32>)
// CHECK-NEXT: "memref.copy"([[x]], [[y:%[0-9]+]])
// CHECK-NEXT: memref.store %zero, [[y]][%n]
// CHECK-NEXT: linalg.generic {{.*}} ins([[x]], [[y]], %zero : memref<4xf32>, memref<4xf32>, f32) outs([[out]]
func.func @main(%n: index) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %y = tensor.insert %zero into %x[%n] : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p, %y : tensor<5xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}
