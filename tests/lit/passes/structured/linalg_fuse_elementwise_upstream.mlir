// REQUIRES: mlir-opt
// RUN: loomir-opt %s -p linalg-fuse-elementwise | mlir-opt-22 | filecheck %s

// The indices of a transposed producer become the consumer's.
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.index 0
func.func @main(%x: tensor<4x6xf32>, %w: tensor<6xf32>) -> tensor<4x6xf32> {
  %et = tensor.empty() : tensor<6x4xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x6xf32>) outs(%et : tensor<6x4xf32>) {
  ^bb0(%p: f32, %old: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %v = arith.addf %p, %f : f32
    linalg.yield %v : f32
  } -> tensor<6x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a, %w : tensor<6x4xf32>, tensor<6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %v = arith.addf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  func.return %b : tensor<4x6xf32>
}
