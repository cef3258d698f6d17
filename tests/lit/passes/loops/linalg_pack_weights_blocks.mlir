// RUN: loomir-opt %s -p 'linalg-pack-weights{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p 'linalg-pack-weights{machine=x86-64-v3},lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s --check-prefix=LOOPS
// RUN: loomir-opt %s -p 'linalg-pack-weights' | filecheck %s --check-prefix=GENERIC

// For a machine with vectors a weight is stored in blocks of as many columns as a tile has, if all tiles have as many.
// What is lowered for the same machine divides no index. Other machines have no blocks.
// LOOPS-NOT: arith.divui
// LOOPS-NOT: arith.remui
// GENERIC-NOT: floordiv
builtin.module {
  // A tile of x86-64-v3 has 16 of the 32 columns: two blocks of 16, in each what belongs together of every k.
  // CHECK-LABEL: func.func @numbers
  // CHECK-SAME: %w: memref<2x2x16xf32> {loomir.blob = dense<{{\[\[\[}}0.000000e+00, 2.000000e+00, 4.000000e+00,
  // CHECK-SAME: 3.000000e+01], [1.000000e+00, 3.000000e+00,
  // CHECK-SAME: 3.100000e+01]], {{\[\[}}3.200000e+01, 3.400000e+01,
  // CHECK-SAME: 6.200000e+01], [3.300000e+01, 3.500000e+01,
  // CHECK: affine_map<(d0, d1, d2) -> ((d1 floordiv 16), d2, (d1 mod 16))>
  func.func @numbers(%x: memref<6x2xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<32x2xf32> {loomir.blob = dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0], [10.0, 11.0], [12.0, 13.0], [14.0, 15.0], [16.0, 17.0], [18.0, 19.0], [20.0, 21.0], [22.0, 23.0], [24.0, 25.0], [26.0, 27.0], [28.0, 29.0], [30.0, 31.0], [32.0, 33.0], [34.0, 35.0], [36.0, 37.0], [38.0, 39.0], [40.0, 41.0], [42.0, 43.0], [44.0, 45.0], [46.0, 47.0], [48.0, 49.0], [50.0, 51.0], [52.0, 53.0], [54.0, 55.0], [56.0, 57.0], [58.0, 59.0], [60.0, 61.0], [62.0, 63.0]]> : tensor<32x2xf32>},
      %o: memref<6x32xf32> {loomir.name = "o", loomir.role = "output"}) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<6x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (n, k)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<6x2xf32>, memref<32x2xf32>) outs(%o : memref<6x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // CHECK-LABEL: func.func @large
  // CHECK-SAME: %w: memref<4x32x16xf32>
  // CHECK: affine_map<(d0, d1, d2) -> ((d1 floordiv 16), d2, (d1 mod 16))>
  // CHECK: ins(%x, %w : memref<24x32xf32>, memref<4x32x16xf32>)
  func.func @large(%x: memref<24x32xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<64x32xf32> {loomir.blob = dense<1.0> : tensor<64x32xf32>},
      %o: memref<24x64xf32> {loomir.name = "o", loomir.role = "output"}) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<24x64xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (n, k)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x32xf32>, memref<64x32xf32>) outs(%o : memref<24x64xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // One tile has all columns: it is a matrix in the order of k.
  // CHECK-LABEL: func.func @one
  // CHECK-SAME: %w: memref<32x16xf32>
  // CHECK: affine_map<(d0, d1, d2) -> (d2, d1)>
  func.func @one(%x: memref<24x32xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<16x32xf32> {loomir.blob = dense<1.0> : tensor<16x32xf32>},
      %o: memref<24x16xf32> {loomir.name = "o", loomir.role = "output"}) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<24x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (n, k)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x32xf32>, memref<16x32xf32>) outs(%o : memref<24x16xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // What is left of 52 columns would be a smaller block.
  // CHECK-LABEL: func.func @rest
  // CHECK-SAME: %w: memref<32x52xf32>
  // CHECK: affine_map<(d0, d1, d2) -> (d2, d1)>
  func.func @rest(%x: memref<24x32xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<52x32xf32> {loomir.blob = dense<1.0> : tensor<52x32xf32>},
      %o: memref<24x52xf32> {loomir.name = "o", loomir.role = "output"}) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<24x52xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (n, k)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x32xf32>, memref<52x32xf32>) outs(%o : memref<24x52xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // Filters of a convolution: all of a block's places and input channels, in the order of the loops.
  // CHECK-LABEL: func.func @convolution
  // CHECK-SAME: %w: memref<{{[0-9]+}}x8x3x{{[0-9]+}}xf32>
  // CHECK: affine_map<(d0, d1, d2, d3) -> ((d1 floordiv {{[0-9]+}}), d2, d3, (d1 mod {{[0-9]+}}))>
  func.func @convolution(%x: memref<8x8xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<32x8x3xf32> {loomir.blob = dense<1.0> : tensor<32x8x3xf32>},
      %o: memref<6x32xf32> {loomir.name = "o", loomir.role = "output"}) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<6x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, o, i, k) -> (p + k, i)>, affine_map<(p, o, i, k) -> (o, i, k)>, affine_map<(p, o, i, k) -> (p, o)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : memref<8x8xf32>, memref<32x8x3xf32>) outs(%o : memref<6x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }
}
