// RUN: loomir-opt %s -p linalg-pack-weights | filecheck %s

// A product with a transposed weight, and one whose weight has a second use.
// CHECK: func.func @main(%x: memref<2xf32> {{.*}}, %w: memref<2x4xf32> {loomir.blob = dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00, 7.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]]> : tensor<2x4xf32>}, %v: memref<4x2xf32> {loomir.blob =
builtin.module {
  func.func @main(%x: memref<2xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<4x2xf32> {loomir.blob = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>},
      %v: memref<4x2xf32> {loomir.blob = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 9.0]]> : tensor<4x2xf32>},
      %o: memref<4xf32> {loomir.name = "o", loomir.role = "output"},
      %p: memref<4xf32> {loomir.name = "p", loomir.role = "output"}) {
    // CHECK: indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]
    // CHECK-SAME: ins(%x, %w : memref<2xf32>, memref<2x4xf32>)
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>],
        iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<2xf32>, memref<4x2xf32>) outs(%o : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    // CHECK: indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
    // CHECK-SAME: ins(%x, %v : memref<2xf32>, memref<4x2xf32>)
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>],
        iterator_types = ["parallel", "reduction"]} ins(%x, %v : memref<2xf32>, memref<4x2xf32>) outs(%o : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>],
        iterator_types = ["parallel", "reduction"]} ins(%v : memref<4x2xf32>) outs(%p : memref<4xf32>) {
    ^bb0(%b: f32, %acc: f32):
      %s = arith.addf %acc, %b : f32
      linalg.yield %s : f32
    }
    func.return
  }
}
