// RUN: loomir-opt %s -p 'linalg-pack-nibbles{least-bytes=2}' | filecheck %s
// RUN: loomir-opt %s -p linalg-pack-nibbles | filecheck %s --check-prefix=LARGE
// LARGE-NOT: floordiv

builtin.module {
  // Of -8, 7 and of 1, -1 the low half is the first: 0x78 is 120, 0xF1 is -15. What widened the number need not any more.
  // CHECK-LABEL: func.func @integers
  // CHECK-SAME: %w: memref<4x1xi8> {loomir.blob = dense<{{\[\[}}120], [-15], [50], [0]]> : tensor<4x1xi8>}
  // CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, (d1 floordiv 2))>, affine_map<(d0, d1, d2) -> (d0, d1)>]
  // CHECK-SAME: ins(%x, %w : memref<3x4xi8>, memref<4x1xi8>)
  // CHECK-NEXT: ^bb0(%a: i8, %b: i8, %acc: i32):
  // CHECK-NEXT: %[[n:.*]] = linalg.index 1 : index
  // CHECK-NEXT: %[[half:.*]] = arith.remui %[[n]], %{{.*}} : index
  // CHECK-NEXT: %[[bits:.*]] = arith.muli %[[half]], %{{.*}} : index
  // CHECK-NEXT: %[[left:.*]] = arith.subi %{{.*}}, %[[bits]] : index
  // CHECK-NEXT: %[[by:.*]] = arith.index_cast %[[left]] : index to i32
  // CHECK-NEXT: %[[byte:.*]] = arith.extui %b : i8 to i32
  // CHECK-NEXT: %[[top:.*]] = arith.shli %[[byte]], %[[by]] : i32
  // CHECK-NEXT: %[[number:.*]] = arith.shrsi %[[top]], %{{.*}} : i32
  // CHECK-NEXT: %[[p:.*]] = arith.extsi %a : i8 to i32
  // CHECK-NEXT: arith.muli %[[p]], %[[number]] : i32
  func.func @integers(%x: memref<3x4xi8>,
      %w: memref<4x2xi8> {loomir.blob = dense<[[-8, 7], [1, -1], [2, 3], [0, 0]]> : tensor<4x2xi8>}, %o: memref<3x2xi32>) {
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<3x4xi8>, memref<4x2xi8>) outs(%o : memref<3x2xi32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %r = arith.extsi %b : i8 to i32
      %m = arith.muli %p, %r : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    func.return
  }

  // From 0 to 15 there is no sign to shift down; of 3 rows the last shares its byte with nothing, and 3 columns waste as much.
  // CHECK-LABEL: func.func @floats
  // CHECK-SAME: %w: memref<2x3xi8> {loomir.blob = dense<{{\[\[}}48, 81, -14], [6, 7, 8]]> : tensor<2x3xi8>}
  // CHECK: affine_map<(d0, d1) -> ((d0 floordiv 2), d1)>
  // CHECK: linalg.index 0 : index
  // CHECK: %[[byte:.*]] = arith.extui %b : i8 to i32
  // CHECK-NEXT: %[[down:.*]] = arith.shrui %[[byte]], %{{.*}} : i32
  // CHECK-NEXT: %[[number:.*]] = arith.andi %[[down]], %{{.*}} : i32
  // CHECK-NEXT: %[[float:.*]] = arith.sitofp %[[number]] : i32 to f32
  // CHECK-NEXT: arith.mulf %a, %[[float]] : f32
  func.func @floats(%x: memref<3xf32>, %w: memref<3x3xi8> {loomir.blob = dense<[[0, 1, 2], [3, 5, 15], [6, 7, 8]]> : tensor<3x3xi8>},
      %o: memref<3xf32>) {
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x, %w : memref<3xf32>, memref<3x3xi8>) outs(%o : memref<3xf32>) {
    ^bb0(%a: f32, %b: i8, %acc: f32):
      %r = arith.uitofp %b : i8 to f32
      %m = arith.mulf %a, %r : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // A filter of a padded convolution: the loops of the window have their extents of it alone, so that they stay. From 20 to 27 numbers are
  // distances to 20; a reader that does not widen gets 8 bits.
  // CHECK-LABEL: func.func @padded
  // CHECK-SAME: %w: memref<2x3xi8> {loomir.blob = dense<{{\[\[}}48, 65, 82], [6, 7, 0]]> : tensor<2x3xi8>}
  // CHECK: affine_map<(d0, d1, d2) -> ((d1 floordiv 2), d2)>
  // CHECK: ins(%{{.*}}, %w, %{{.*}} : memref<5xi8>, memref<2x3xi8>, i8)
  // CHECK-SAME: loomir.pads
  // CHECK: %[[near:.*]] = arith.andi
  // CHECK-NEXT: %[[number:.*]] = arith.addi %[[near]], %{{.*}} : i32
  // CHECK-NEXT: %[[narrow:.*]] = arith.trunci %[[number]] : i32 to i8
  // CHECK-NEXT: arith.muli %a, %[[narrow]] : i8
  func.func @padded(%x: memref<3xi8>, %w: memref<3x3xi8> {loomir.blob = dense<[[20, 21, 22], [23, 24, 25], [26, 27, 20]]> : tensor<3x3xi8>},
      %o: memref<3x3xi8>) {
    %zero = arith.constant 0 : i8
    %p = builtin.unrealized_conversion_cast %x : memref<3xi8> to memref<5xi8>
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i + k)>, affine_map<(i, n, k) -> (n, k)>,
        affine_map<(i, n, k) -> ()>, affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p, %w, %zero : memref<5xi8>, memref<3x3xi8>, i8) outs(%o : memref<3x3xi8>)
        attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 1>, high = array<i64: 1>, value = 2 : i64}]} {
    ^bb0(%a: i8, %b: i8, %none: i8, %acc: i8):
      %m = arith.muli %a, %b : i8
      %s = arith.addi %acc, %m : i8
      linalg.yield %s : i8
    }
    func.return
  }

  // Wider ones as well: 16 bits of a weight less its zero point.
  // CHECK-LABEL: func.func @wide
  // CHECK-SAME: %w: memref<2xi8> {loomir.blob = dense<[16, 50]> : tensor<2xi8>}
  // CHECK: arith.muli %a, %{{.*}} : i32
  func.func @wide(%x: memref<4xi32>, %w: memref<4xi16> {loomir.blob = dense<[0, 1, 2, 3]> : tensor<4xi16>}, %o: memref<4xi32>) {
    linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
        ins(%x, %w : memref<4xi32>, memref<4xi16>) outs(%o : memref<4xi32>) {
    ^bb0(%a: i32, %b: i16, %acc: i32):
      %r = arith.extsi %b : i16 to i32
      %m = arith.muli %a, %r : i32
      linalg.yield %m : i32
    }
    func.return
  }

  // Columns of -9 to 6 and of 0 to 15 are counted from a number for each, which is another constant.
  // CHECK-LABEL: func.func @columns
  // CHECK-SAME: %w: memref<4x1xi8> {loomir.blob = dense<{{\[\[}}-16], [15], [0], [16]]> : tensor<4x1xi8>}, %[[least:.*]]: memref<2xi8> {loomir.blob = dense<[-9, 0]> : tensor<2xi8>}
  // CHECK: affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, (d0 floordiv 2))>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>
  // CHECK-SAME: ins(%x, %w, %[[least]] : memref<4xf32>, memref<4x1xi8>, memref<2xi8>)
  // CHECK-NEXT: ^bb0(%a: f32, %b: i8, %[[from:.*]]: i8, %acc: f32):
  // CHECK: %[[nibble:.*]] = arith.andi
  // CHECK-NEXT: %[[wide:.*]] = arith.extsi %[[from]] : i8 to i32
  // CHECK-NEXT: %[[number:.*]] = arith.addi %[[nibble]], %[[wide]] : i32
  // CHECK-NEXT: arith.sitofp %[[number]] : i32 to f32
  func.func @columns(%x: memref<4xf32>, %w: memref<4x2xi8> {loomir.blob = dense<[[-9, 15], [6, 0], [-9, 0], [-9, 1]]> : tensor<4x2xi8>}, %o: memref<2xf32>) {
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x, %w : memref<4xf32>, memref<4x2xi8>) outs(%o : memref<2xf32>) {
    ^bb0(%a: f32, %b: i8, %acc: f32):
      %r = arith.sitofp %b : i8 to f32
      %m = arith.mulf %a, %r : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    func.return
  }

  // Of two that alone tell how far a loop goes one is packed. A number that is read in two ways has both.
  // CHECK-LABEL: func.func @both
  // CHECK: affine_map<(d0) -> ((d0 floordiv 2))>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>
  // CHECK-SAME: ins(%v, %w : memref<2xi8>, memref<4xi8>)
  // CHECK: %[[number:.*]] = arith.shrsi
  // CHECK-NEXT: %[[narrow:.*]] = arith.trunci %[[number]] : i32 to i8
  // CHECK-NEXT: %{{.*}} = arith.muli %[[narrow]], %b : i8
  // CHECK-NEXT: %{{.*}} = arith.extsi %{{.*}} : i8 to i32
  // CHECK-NEXT: %{{.*}} = arith.addi %[[number]], %{{.*}} : i32
  func.func @both(%v: memref<4xi8> {loomir.blob = dense<[-1, 2, 3, 4]> : tensor<4xi8>},
      %w: memref<4xi8> {loomir.blob = dense<[4, 5, 6, 7]> : tensor<4xi8>}, %o: memref<i32>) {
    linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
        ins(%v, %w : memref<4xi8>, memref<4xi8>) outs(%o : memref<i32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %r = arith.extsi %a : i8 to i32
      %m = arith.muli %a, %b : i8
      %n = arith.extsi %m : i8 to i32
      %s = arith.addi %r, %n : i32
      %t = arith.addi %acc, %s : i32
      linalg.yield %t : i32
    }
    func.return
  }

  // What spans 17 numbers stays, and what is used twice, and along which nothing else tells how far a loop goes, and no constants.
  // CHECK-LABEL: func.func @others
  // CHECK-SAME: memref<4xi8> {loomir.blob = dense<[-8, 8, 0, 0]> : tensor<4xi8>}
  // CHECK-SAME: memref<4xi8> {loomir.blob = dense<1> : tensor<4xi8>}
  // CHECK-SAME: memref<4xi8> {loomir.blob = dense<2> : tensor<4xi8>}
  // CHECK-NOT: floordiv
  func.func @others(%x: memref<4xi8>, %v: memref<4xi8> {loomir.blob = dense<[-8, 8, 0, 0]> : tensor<4xi8>},
      %t: memref<4xi8> {loomir.blob = dense<1> : tensor<4xi8>}, %u: memref<4xi8> {loomir.blob = dense<2> : tensor<4xi8>},
      %o: memref<4xi8>, %e: memref<i8>) {
    linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>,
        affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
        ins(%x, %v, %t, %t : memref<4xi8>, memref<4xi8>, memref<4xi8>, memref<4xi8>) outs(%o : memref<4xi8>) {
    ^bb0(%a: i8, %b: i8, %c: i8, %d: i8, %acc: i8):
      %m = arith.muli %a, %b : i8
      %n = arith.muli %m, %c : i8
      %s = arith.addi %n, %d : i8
      linalg.yield %s : i8
    }
    linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
        ins(%u : memref<4xi8>) outs(%e : memref<i8>) {
    ^bb0(%b: i8, %acc: i8):
      %s = arith.addi %acc, %b : i8
      linalg.yield %s : i8
    }
    func.return
  }
}
