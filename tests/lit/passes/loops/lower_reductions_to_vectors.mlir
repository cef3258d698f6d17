// RUN: loomir-opt %s -p 'lower-reductions-to-vectors{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p lower-reductions-to-vectors | filecheck %s --check-prefix=GENERIC

// GENERIC-NOT: vector
builtin.module {
  // 70 = 2 × 32 + 6: four vectors of 8 at a time, and six numbers behind them, which go on from the fill's value.
  // CHECK-LABEL: func.func @sum
  // CHECK: scf.for
  // CHECK: [[V:%[0-9]+]], %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  // CHECK: vector.load %x
  // CHECK: arith.addf {{.*}} : vector<8xf32>
  // CHECK: [[R:%[0-9]+]] = scf.for {{.*}} iter_args({{.*}} = %zero) -> (f32)
  // CHECK: arith.addf [[V]], {{.*}} : vector<8xf32>
  // CHECK: vector.store
  // CHECK: scf.for {{.*}} iter_args({{.*}} = [[R]]) -> (f32)
  // CHECK: memref.store {{.*}} : memref<4xf32>
  func.func @sum(%x: memref<4x70xf32>, %o: memref<4xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<4xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x70xf32>) outs(%o : memref<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // Vectors along a parallel loop are better; eleven elements are too few; a difference gathers nothing.
  // CHECK-LABEL: func.func @others
  // CHECK-NOT: scf.for
  func.func @others(%x: memref<64x32xf32>, %y: memref<4x11xf32>, %o: memref<32xf32>, %p: memref<4xf32>, %q: memref<64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<64x32xf32>) outs(%o : memref<32xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%y : memref<4x11xf32>) outs(%p : memref<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<64x32xf32>) outs(%q : memref<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.subf %acc, %a : f32
      linalg.yield %s : f32
    }
    func.return
  }
}
