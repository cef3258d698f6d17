// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s

// Which loops there are, and in which order: loops in blocks, neighbouring loops that are one, what caches want.
builtin.module {
  // A weight in blocks of 16 columns: one loop runs over the blocks, a tile is one of them, and no index divides.
  // CHECK-LABEL: func.func @blocked
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: scf.for %[[P:.*]] = %[[C0]] to
  // CHECK-NEXT: scf.for %[[B:.*]] = %[[C0]] to %[[C2]] step
  // CHECK-NEXT: %[[N:.*]] = arith.muli %[[B]], %[[C16]] : index
  // CHECK: scf.for %[[K:[^ ]*]] =
  // CHECK-NOT: arith.divui
  // CHECK-NOT: arith.remui
  // CHECK: vector.load %w[%[[B]], %[[K]], %[[C0]]] : memref<2x16x16xf32>, vector<8xf32>
  // CHECK: vector.load %w[%[[B]], %[[K]], %[[C8]]] : memref<2x16x16xf32>, vector<8xf32>
  // CHECK-NOT: vector.load
  // CHECK: vector.store %{{.*}}, %o[%[[P]], %[[N]]] : memref<24x32xf32>, vector<8xf32>
  func.func @blocked(%x: memref<24x16xf32>, %w: memref<2x16x16xf32>, %o: memref<24x32xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<24x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x16xf32>, memref<2x16x16xf32>) outs(%o : memref<24x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // A megabyte of them would come from behind the caches for every tile of rows: the loop over the blocks is outermost.
  // CHECK-LABEL: func.func @blocks_outside
  // CHECK: scf.for %[[B:.*]] = %{{.*}} to
  // CHECK-NEXT: arith.muli %[[B]],
  // CHECK-NEXT: scf.for %[[P:.*]] = %{{.*}} to
  // CHECK: vector.load %w[%[[B]],
  func.func @blocks_outside(%x: memref<64x256xf32>, %w: memref<64x256x16xf32>, %o: memref<64x1024xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<64x1024xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x256xf32>, memref<64x256x16xf32>) outs(%o : memref<64x1024xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // The same of a weight in rows: columns are outside.
  // CHECK-LABEL: func.func @columns_outside
  // CHECK: scf.for %[[N:.*]] = %{{.*}} to
  // CHECK: scf.for %[[P:.*]] = %{{.*}} to
  // CHECK: vector.load %w[%{{.*}}, %[[N]]]
  // CHECK: vector.store %{{.*}}, %o[%[[P]], %[[N]]]
  func.func @columns_outside(%x: memref<64x256xf32>, %w: memref<256x1024xf32>, %o: memref<64x1024xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<64x1024xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (k, n)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x256xf32>, memref<256x1024xf32>) outs(%o : memref<64x1024xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // Two kilobytes stay in the first cache: rows are outside, as the results lie.
  // CHECK-LABEL: func.func @rows_outside
  // CHECK: scf.for %[[P:.*]] = %{{.*}} to
  // CHECK: scf.for %[[N:.*]] = %{{.*}} to
  // CHECK: vector.load %w[%{{.*}}, %[[N]]]
  // CHECK: vector.store %{{.*}}, %o[%[[P]], %[[N]]]
  func.func @rows_outside(%x: memref<64x16xf32>, %w: memref<16x32xf32>, %o: memref<64x32xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<64x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, n, k) -> (p, k)>, affine_map<(p, n, k) -> (k, n)>, affine_map<(p, n, k) -> (p, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x16xf32>, memref<16x32xf32>) outs(%o : memref<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // 6 × 5 pixels are 30 rows, ten at a time.
  // CHECK-LABEL: func.func @merged
  // CHECK-DAG: %[[C30:.*]] = arith.constant 30 : index
  // CHECK-DAG: %[[C10:.*]] = arith.constant 10 : index
  // CHECK: %[[X:.*]] = memref.collapse_shape %x {{\[\[}}0 : i64, 1 : i64], [2 : i64]] : memref<6x5x16xf32> into memref<30x16xf32>
  // CHECK: %[[O:.*]] = memref.collapse_shape %o {{\[\[}}0 : i64, 1 : i64], [2 : i64]] : memref<6x5x8xf32> into memref<30x8xf32>
  // CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[C30]] step %[[C10]] {
  // CHECK: memref.load %[[X]][%[[P]],
  // CHECK: vector.store %{{.*}}, %[[O]][%[[P]],
  func.func @merged(%x: memref<6x5x16xf32>, %w: memref<16x8xf32>, %o: memref<6x5x8xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<6x5x8xf32>)
    linalg.generic {indexing_maps = [affine_map<(h, v, n, k) -> (h, v, k)>, affine_map<(h, v, n, k) -> (k, n)>, affine_map<(h, v, n, k) -> (h, v, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<6x5x16xf32>, memref<16x8xf32>) outs(%o : memref<6x5x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // An image that is turned has the two loops the other way round: they stay two.
  // CHECK-LABEL: func.func @turned
  // CHECK-NOT: memref.collapse_shape
  // CHECK: memref.load %x[%{{.*}}, %{{.*}}, %{{.*}}] : memref<5x6x16xf32>
  func.func @turned(%x: memref<5x6x16xf32>, %w: memref<16x8xf32>, %o: memref<6x5x8xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<6x5x8xf32>)
    linalg.generic {indexing_maps = [affine_map<(h, v, n, k) -> (v, h, k)>, affine_map<(h, v, n, k) -> (k, n)>, affine_map<(h, v, n, k) -> (h, v, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<5x6x16xf32>, memref<16x8xf32>) outs(%o : memref<6x5x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // All three loops of what is elementwise are one of 60: vectors of eight, and one of four.
  // CHECK-LABEL: func.func @elementwise
  // CHECK-DAG: %[[C56:.*]] = arith.constant 56 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[C56]] step %[[C8]] {
  // CHECK: vector.load %{{.*}}[%[[I]]] : memref<60xf32>, vector<8xf32>
  // CHECK: vector.load %{{.*}}[%[[C56]]] : memref<60xf32>, vector<4xf32>
  // CHECK-NOT: vector.load
  func.func @elementwise(%x: memref<3x4x5xf32>, %o: memref<3x4x5xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x : memref<3x4x5xf32>) outs(%o : memref<3x4x5xf32>) {
    ^bb0(%a: f32, %c: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // A loop that is never done has no vectors, and ends.
  // CHECK-LABEL: func.func @never
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-NOT: vector
  // CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[C0]] step %[[C1]] {
  // CHECK: memref.load %x[%[[I]]] : memref<0xf32>
  func.func @never(%x: memref<0xf32>, %o: memref<0xf32>, %y: memref<4x0xf32>, %p: memref<4xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]}
        ins(%x : memref<0xf32>) outs(%o : memref<0xf32>) {
    ^bb0(%a: f32, %c: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%y : memref<4x0xf32>) outs(%p : memref<4xf32>) {
    ^bb0(%a: f32, %c: f32):
      %r = arith.addf %a, %c : f32
      linalg.yield %r : f32
    }
    func.return
  }
}
