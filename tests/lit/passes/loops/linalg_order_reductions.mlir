// RUN: loomir-opt %s -p 'linalg-order-reductions{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p linalg-order-reductions | filecheck %s --check-prefix=GENERIC

builtin.module {
  // Channels last: the filter's rows and columns outside, channels inside. The filter is a constant and has no say.
  // CHECK-LABEL: func.func @convolution
  // CHECK: indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> ((d0 + d2), (d1 + d3), d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>]
  // GENERIC-LABEL: func.func @convolution
  // GENERIC: affine_map<(d0, d1, d2, d3, d4) -> ((d0 + d3), (d1 + d4), d2)>
  func.func @convolution(%x: memref<6x7x4xf32>, %w: memref<4x3x3xf32> {loomir.blob = dense<0.5> : tensor<4x3x3xf32>},
      %o: memref<4x5xf32>) {
    linalg.generic {indexing_maps = [affine_map<(y, x, c, i, j) -> (y + i, x + j, c)>,
        affine_map<(y, x, c, i, j) -> (c, i, j)>, affine_map<(y, x, c, i, j) -> (y, x)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %w : memref<6x7x4xf32>, memref<4x3x3xf32>) outs(%o : memref<4x5xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // The last one wins: the order is the meaning.
  // CHECK-LABEL: func.func @last
  // CHECK: affine_map<(d0, d1, d2) -> (d2, d1, d0)>
  func.func @last(%x: memref<5x4x3xf32>, %o: memref<3xf32>) {
    linalg.generic {indexing_maps = [affine_map<(o, i, j) -> (j, i, o)>, affine_map<(o, i, j) -> (o)>],
        iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<5x4x3xf32>) outs(%o : memref<3xf32>) {
    ^bb0(%a: f32, %acc: f32):
      linalg.yield %a : f32
    }
    func.return
  }

  // What is subtracted in turn from what was there is no sum of the iterations.
  // CHECK-LABEL: func.func @alternating
  // CHECK: affine_map<(d0, d1, d2) -> (d2, d1, d0)>
  func.func @alternating(%x: memref<5x4x3xf32>, %o: memref<3xf32>) {
    linalg.generic {indexing_maps = [affine_map<(o, i, j) -> (j, i, o)>, affine_map<(o, i, j) -> (o)>],
        iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<5x4x3xf32>) outs(%o : memref<3xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.subf %a, %acc : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // CHECK-LABEL: func.func @greatest
  // CHECK: affine_map<(d0, d1, d2) -> (d1, d2, d0)>
  func.func @greatest(%x: memref<5x4x3xf32>, %o: memref<3xf32>) {
    linalg.generic {indexing_maps = [affine_map<(o, i, j) -> (j, i, o)>, affine_map<(o, i, j) -> (o)>],
        iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<5x4x3xf32>) outs(%o : memref<3xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.maximumf %acc, %a : f32
      linalg.yield %s : f32
    }
    func.return
  }
}
