// RUN: loomir-opt %s -p 'lower-linalg-to-loops{machine=x86-64-v3}' | filecheck %s

builtin.module {
  // Rows of pixels × columns of output channels; bias and activation on the accumulators; 20 channels are vectors of 8 and one of 4.
  // CHECK-LABEL: func.func @pointwise
  // CHECK: scf.for
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<8xf32>
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  // CHECK: memref.load %x
  // CHECK: vector.load %w{{.*}} : memref<16x20xf32>, vector<8xf32>
  // CHECK: arith.mulf {{.*}} : vector<8xf32>
  // CHECK: vector.load %b{{.*}} : memref<20xf32>, vector<8xf32>
  // CHECK: arith.maximumf {{.*}} : vector<8xf32>
  // CHECK: vector.store {{.*}} : memref<24x20xf32>, vector<8xf32>
  // CHECK: vector.load %w{{.*}} : memref<16x20xf32>, vector<4xf32>
  func.func @pointwise(%x: memref<24x16xf32>, %w: memref<16x20xf32>, %b: memref<20xf32>, %o: memref<24x20xf32>) {
    %zero = arith.constant 0.0 : f32
    %t = memref.alloc() : memref<24x20xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<24x20xf32>)
    linalg.generic {indexing_maps = [affine_map<(p, c, k) -> (p, k)>, affine_map<(p, c, k) -> (k, c)>, affine_map<(p, c, k) -> (p, c)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x16xf32>, memref<16x20xf32>) outs(%t : memref<24x20xf32>) {
    ^bb0(%a: f32, %b1: f32, %acc: f32):
      %m = arith.mulf %a, %b1 : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(p, c) -> (p, c)>, affine_map<(p, c) -> (c)>, affine_map<(p, c) -> (p, c)>],
        iterator_types = ["parallel", "parallel"]} ins(%t, %b : memref<24x20xf32>, memref<20xf32>) outs(%o : memref<24x20xf32>) {
    ^bb0(%a: f32, %b2: f32, %c: f32):
      %s = arith.addf %a, %b2 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // The border of a depthwise convolution is by itself; the interior asks nothing.
  // CHECK-LABEL: func.func @depthwise
  // CHECK: scf.if
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
  // CHECK-NOT: scf.if
  // CHECK: vector.store
  // CHECK: scf.if
  func.func @depthwise(%x: memref<18x8xf32>, %w: memref<3x8xf32>, %o: memref<18x8xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<18x8xf32>)
    %p = builtin.unrealized_conversion_cast %x : memref<18x8xf32> to memref<20x8xf32>
    linalg.generic {indexing_maps = [affine_map<(p, c, i) -> (p + i, c)>, affine_map<(p, c, i) -> (i, c)>,
        affine_map<(p, c, i) -> ()>, affine_map<(p, c, i) -> (p, c)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p, %w, %zero : memref<20x8xf32>, memref<3x8xf32>, f32) outs(%o : memref<18x8xf32>)
        attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 1, 0>, high = array<i64: 1, 0>, value = 2 : i64}]} {
    ^bb0(%a: f32, %b: f32, %z: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // A plane with its padding is copied, once for each channel; no tile ends at a border then.
  // CHECK-LABEL: func.func @planes
  // CHECK: %[[B:.*]] = memref.alloc() {{.*}}: memref<11x18xf32>
  // CHECK: scf.for
  // CHECK: vector.store
  // CHECK: scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK-NEXT: scf.for %[[H:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[V:.*]] = vector.load %{{.*}}[%[[C]], %[[H]], %{{.*}}] : memref<4x9x16xf32>, vector<8xf32>
  // CHECK: vector.store %[[V]], %[[B]][%{{.*}}, %{{.*}}] : memref<11x18xf32>, vector<8xf32>
  // CHECK-NOT: scf.if
  // CHECK: vector.load %[[B]]
  // CHECK-NOT: scf.if
  // CHECK: func.return
  func.func @planes(%x: memref<4x9x16xf32>, %k: memref<4x3x3xf32>, %o: memref<4x9x16xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : memref<4x9x16xf32>)
    %p = builtin.unrealized_conversion_cast %x : memref<4x9x16xf32> to memref<4x11x18xf32>
    linalg.generic {indexing_maps = [affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>, affine_map<(c, h, w, i, j) -> (c, i, j)>,
        affine_map<(c, h, w, i, j) -> ()>, affine_map<(c, h, w, i, j) -> (c, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %k, %zero : memref<4x11x18xf32>, memref<4x3x3xf32>, f32) outs(%o : memref<4x9x16xf32>)
        attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 0, 1, 1>, high = array<i64: 0, 1, 1>, value = 2 : i64}]} {
    ^bb0(%a: f32, %b: f32, %z: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // Elementwise, with a number for all lanes, and masks.
  // CHECK-LABEL: func.func @elementwise
  // CHECK: vector.load
  // CHECK: arith.cmpf {{.*}} : vector<8xf32>
  // CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xf32>
  // CHECK: vector.store
  func.func @elementwise(%x: memref<3x16xf32>, %s: memref<3xf32>, %o: memref<3x16xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<3x16xf32>, memref<3xf32>) outs(%o : memref<3x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %p = arith.cmpf ogt, %a, %zero : f32
      %r = arith.select %p, %a, %m : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // Nothing for vectors: the number of the iteration that lanes run along, an input that steps by four, 16-bit floats.
  // CHECK-LABEL: func.func @none
  // CHECK-NOT: vector
  func.func @none(%x: memref<64xf32>, %h: memref<16xf16>, %o: memref<16xi64>, %q: memref<16xf32>, %g: memref<16xf16>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : memref<16xi64>) {
    ^bb0(%c: i64):
      %i = linalg.index 0 : index
      %r = arith.index_cast %i : index to i64
      linalg.yield %r : i64
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i * 4)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : memref<64xf32>) outs(%q : memref<16xf32>) {
    ^bb0(%a: f32, %c: f32):
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%h : memref<16xf16>) outs(%g : memref<16xf16>) {
    ^bb0(%a: f16, %c: f16):
      %r = arith.addf %a, %a : f16
      linalg.yield %r : f16
    }
    func.return
  }
}
