// RUN: loomir-opt %s -p 'memref-order-dimensions{machine="x86-64-v3"}' | filecheck %s
// RUN: loomir-opt %s -p 'memref-order-dimensions{machine="x86-64-v3"},linalg-pack-weights,lower-linalg-to-loops' | filecheck %s --check-prefix=LOOPS
// RUN: loomir-opt %s -p 'memref-order-dimensions' | filecheck %s --check-prefix=GENERIC

// A padded convolution, its bias and activation, a depthwise one by way of views, and one more: all between input and output is
// channels last. The output stays as it is.
// CHECK-LABEL: func.func @main(
// CHECK: %[[T:.*]] = memref.alloc() : memref<1x5x5x16xf32>
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<1x5x5x16xf32>
// CHECK-NEXT: %[[D:.*]] = memref.alloc() : memref<1x5x5x16x1xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[T]] : memref<1x5x5x16xf32>)
// CHECK: -> (d0, d2, d3, d1)>], {{.*}} outs(%[[T]] : memref<1x5x5x16xf32>)
// CHECK: affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>]
// CHECK: %[[E:.*]] = memref.expand_shape %[[A]] {{\[\[}}0 : i64], [1 : i64], [2 : i64], [3 : i64, 4 : i64]] output_shape [1, 5, 5, 16, 1] : memref<1x5x5x16xf32> into memref<1x5x5x16x1xf32>
// CHECK: unrealized_conversion_cast %[[E]] : memref<1x5x5x16x1xf32> to memref<1x7x7x16x1xf32>
// CHECK: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, (d3 + d5), (d4 + d6), d1, d2)>
// CHECK-SAME: low = array<i64: 0, 1, 1, 0, 0>
// CHECK: collapse_shape %[[D]] {{\[\[}}0 : i64], [1 : i64], [2 : i64], [3 : i64, 4 : i64]] : memref<1x5x5x16x1xf32> into memref<1x5x5x16xf32>
// CHECK: outs(%y : memref<1x8x5x5xf32>)

// The epilogue is absorbed still: the first convolution leaves no buffer.
// LOOPS-LABEL: func.func @main(
// LOOPS-NOT: linalg
// LOOPS: memref.alloc() : memref<1x5x5x16xf32>
// LOOPS-NOT: memref.alloc() : memref<1x5x5x16xf32>
// LOOPS-LABEL: func.func @reshaped(

// A machine without vectors counts as one of four lanes: its rows of neighbours are read and written side by side.
// GENERIC: memref.alloc() : memref<1x5x5x16xf32>
// GENERIC-NOT: memref.alloc() : memref<1x16x5x5xf32>
builtin.module {
  func.func @main(%x: memref<1x3x5x5xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<16x3x3x3xf32> {loomir.blob = dense<1.0> : tensor<16x3x3x3xf32>},
      %b: memref<16xf32> {loomir.blob = dense<2.0> : tensor<16xf32>},
      %v: memref<16x1x3x3xf32> {loomir.blob = dense<3.0> : tensor<16x1x3x3xf32>},
      %u: memref<8x16xf32> {loomir.blob = dense<3.0> : tensor<8x16xf32>},
      %y: memref<1x8x5x5xf32> {loomir.name = "y", loomir.role = "output"}) {
    %t = memref.alloc() : memref<1x16x5x5xf32>
    %a = memref.alloc() : memref<1x16x5x5xf32>
    %d = memref.alloc() : memref<1x16x1x5x5xf32>
    %zero = arith.constant 0.0 : f32
    // (A branch without a second arm is no obstacle.)
    %never = arith.constant false
    scf.if %never {
      cf.assert %never, "index: a gather reads outside of its axis"
    }
    linalg.fill ins(%zero : f32) outs(%t : memref<1x16x5x5xf32>)
    %p = builtin.unrealized_conversion_cast %x : memref<1x3x5x5xf32> to memref<1x3x7x7xf32>
    linalg.generic {indexing_maps = [affine_map<(n, o, h, w, i, k, l) -> (n, i, h + k, w + l)>, affine_map<(n, o, h, w, i, k, l) -> (o, i, k, l)>,
        affine_map<(n, o, h, w, i, k, l) -> ()>, affine_map<(n, o, h, w, i, k, l) -> (n, o, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%p, %w, %zero : memref<1x3x7x7xf32>, memref<16x3x3x3xf32>, f32) outs(%t : memref<1x16x5x5xf32>)
        attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 2 : i64}]} {
    ^bb0(%0: f32, %1: f32, %2: f32, %acc: f32):
      %m = arith.mulf %0, %1 : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%t, %b : memref<1x16x5x5xf32>, memref<16xf32>) outs(%a : memref<1x16x5x5xf32>) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %s = arith.addf %0, %1 : f32
      linalg.yield %s : f32
    }
    %e = memref.expand_shape %a [[0 : i64], [1 : i64, 2 : i64], [3 : i64], [4 : i64]] output_shape [1, 16, 1, 5, 5] : memref<1x16x5x5xf32> into memref<1x16x1x5x5xf32>
    linalg.fill ins(%zero : f32) outs(%d : memref<1x16x1x5x5xf32>)
    %q = builtin.unrealized_conversion_cast %e : memref<1x16x1x5x5xf32> to memref<1x16x1x7x7xf32>
    linalg.generic {indexing_maps = [affine_map<(n, g, o, h, w, k, l) -> (n, g, o, h + k, w + l)>, affine_map<(n, g, o, h, w, k, l) -> (g, o, k, l)>,
        affine_map<(n, g, o, h, w, k, l) -> ()>, affine_map<(n, g, o, h, w, k, l) -> (n, g, o, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%q, %v, %zero : memref<1x16x1x7x7xf32>, memref<16x1x3x3xf32>, f32) outs(%d : memref<1x16x1x5x5xf32>)
        attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 0, 0, 0, 1, 1>, high = array<i64: 0, 0, 0, 1, 1>, value = 2 : i64}]} {
    ^bb0(%0: f32, %1: f32, %2: f32, %acc: f32):
      %m = arith.mulf %0, %1 : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    %f = memref.collapse_shape %d [[0 : i64], [1 : i64, 2 : i64], [3 : i64], [4 : i64]] : memref<1x16x1x5x5xf32> into memref<1x16x5x5xf32>
    linalg.fill ins(%zero : f32) outs(%y : memref<1x8x5x5xf32>)
    linalg.generic {indexing_maps = [affine_map<(n, o, h, w, i) -> (n, i, h, w)>, affine_map<(n, o, h, w, i) -> (o, i)>, affine_map<(n, o, h, w, i) -> (n, o, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%f, %u : memref<1x16x5x5xf32>, memref<8x16xf32>) outs(%y : memref<1x8x5x5xf32>) {
    ^bb0(%0: f32, %1: f32, %acc: f32):
      %m = arith.mulf %0, %1 : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // A reshape joins channels and pixels: their order is seen.
  // CHECK-LABEL: func.func @reshaped(
  // CHECK: memref.alloc() : memref<16x5xf32>
  func.func @reshaped(%x: memref<5xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<16xf32> {loomir.blob = dense<1.0> : tensor<16xf32>},
      %y: memref<80xf32> {loomir.name = "y", loomir.role = "output"}) {
    %t = memref.alloc() : memref<16x5xf32>
    linalg.generic {indexing_maps = [affine_map<(c, h) -> (h)>, affine_map<(c, h) -> (c)>, affine_map<(c, h) -> (c, h)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %w : memref<5xf32>, memref<16xf32>) outs(%t : memref<16x5xf32>) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %m = arith.mulf %0, %1 : f32
      linalg.yield %m : f32
    }
    %r = memref.collapse_shape %t [[0 : i64, 1 : i64]] : memref<16x5xf32> into memref<80xf32>
    linalg.copy ins(%r : memref<80xf32>) outs(%y : memref<80xf32>)
    func.return
  }

  // What a loop carries with an output keeps the output's order; what it carries with other buffers changes with them, a part of it and an
  // index into it as well.
  // CHECK-LABEL: func.func @carried(
  // CHECK: memref.alloc() : memref<16x5xf32>
  // CHECK-NEXT: %[[C:.*]] = memref.alloc() : memref<5x16xf32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[I:.*]] = %[[C]]) -> (memref<16x5xf32>, memref<5x16xf32>)
  // CHECK: memref.load %[[I]][%c4, %{{.*}}] : memref<5x16xf32>
  // CHECK: memref.subview %[[C]][4, %{{.*}}] [1, 1] [1, 1] : memref<5x16xf32> to memref<1x1xf32, strided<[16, 1], offset: ?>>
  func.func @carried(%x: memref<5xf32> {loomir.name = "x", loomir.role = "input"},
      %w: memref<16xf32> {loomir.blob = dense<1.0> : tensor<16xf32>},
      %y: memref<16x5xf32> {loomir.name = "y", loomir.role = "output"}) {
    %t = memref.alloc() : memref<16x5xf32>
    %u = memref.alloc() : memref<16x5xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    linalg.generic {indexing_maps = [affine_map<(c, h) -> (h)>, affine_map<(c, h) -> (c)>, affine_map<(c, h) -> (c, h)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %w : memref<5xf32>, memref<16xf32>) outs(%t : memref<16x5xf32>) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %m = arith.mulf %0, %1 : f32
      linalg.yield %m : f32
    }
    linalg.generic {indexing_maps = [affine_map<(c, h) -> (h)>, affine_map<(c, h) -> (c)>, affine_map<(c, h) -> (c, h)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %w : memref<5xf32>, memref<16xf32>) outs(%u : memref<16x5xf32>) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %m = arith.mulf %0, %1 : f32
      linalg.yield %m : f32
    }
    %r, %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %u) -> (memref<16x5xf32>, memref<16x5xf32>) {
      %e = memref.load %b[%i, %c4] : memref<16x5xf32>
      memref.store %e, %a[%i, %c4] : memref<16x5xf32>
      %v = memref.subview %u[%i, 4] [1, 1] [1, 1] : memref<16x5xf32> to memref<1x1xf32, strided<[5, 1], offset: ?>>
      linalg.fill ins(%e : f32) outs(%v : memref<1x1xf32, strided<[5, 1], offset: ?>>)
      scf.yield %a, %b : memref<16x5xf32>, memref<16x5xf32>
    }
    linalg.copy ins(%r : memref<16x5xf32>) outs(%y : memref<16x5xf32>)
    func.return
  }
  // A gather of rows reads each row as a vector; the maxima of rows behind it, which would read columns faster, do not change that.
  // CHECK-LABEL: func.func @maxima_of_gathered_rows(
  // CHECK: memref.alloc() : memref<5x16xf32>
  // GENERIC-LABEL: func.func @maxima_of_gathered_rows(
  // GENERIC: memref.alloc() : memref<5x16xf32>
  func.func @maxima_of_gathered_rows(%i: memref<5xi64> {loomir.name = "i", loomir.role = "input"},
      %w: memref<16x16xf32> {loomir.blob = dense<1.0> : tensor<16x16xf32>},
      %y: memref<5xf32> {loomir.name = "y", loomir.role = "output"}) {
    %t = memref.alloc() : memref<5x16xf32>
    linalg.generic {indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
        ins(%i : memref<5xi64>) outs(%t : memref<5x16xf32>) {
    ^bb0(%0: i64, %1: f32):
      %c = linalg.index 1 : index
      %r = arith.index_cast %0 : i64 to index
      %e = memref.load %w[%r, %c] : memref<16x16xf32>
      linalg.yield %e : f32
    }
    %low = arith.constant -1.0 : f32
    linalg.fill ins(%low : f32) outs(%y : memref<5xf32>)
    linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>], iterator_types = ["parallel", "reduction"]}
        ins(%t : memref<5x16xf32>) outs(%y : memref<5xf32>) {
    ^bb0(%0: f32, %1: f32):
      %m = arith.maximumf %0, %1 : f32
      linalg.yield %m : f32
    }
    func.return
  }
}
