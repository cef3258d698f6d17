// RUN: loomir-opt %s -p linalg-fuse-elementwise --split-input-file | filecheck %s --check-prefixes=CHECK,FAST
// RUN: loomir-opt %s -p 'linalg-fuse-elementwise{small=true}' --split-input-file | filecheck %s --check-prefixes=CHECK,SMALL

// Floats that are integers, one for each row, are computed by the outer loop.
// CHECK-LABEL: func.func @floats
// CHECK-NOT:     loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x :
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK-NEXT:      %[[K:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:      %[[P:.*]] = arith.muli %[[K]], %[[TWO]] : i32
// CHECK-NEXT:      %[[THREE:.*]] = arith.constant -3 : i32
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[P]], %[[THREE]] : i32
// CHECK-NEXT:      arith.sitofp %[[S]] : i32 to f32
// CHECK-NEXT:      arith.addf
func.func @floats(%x: tensor<3xf32>, %out: tensor<66x3xf32>, %t: tensor<66xf32> {loomir.blob = dense<[-3.0, -1.0, 1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0, 21.0, 23.0, 25.0, 27.0, 29.0, 31.0, 33.0, 35.0, 37.0, 39.0, 41.0, 43.0, 45.0, 47.0, 49.0, 51.0, 53.0, 55.0, 57.0, 59.0, 61.0, 63.0, 65.0, 67.0, 69.0, 71.0, 73.0, 75.0, 77.0, 79.0, 81.0, 83.0, 85.0, 87.0, 89.0, 91.0, 93.0, 95.0, 97.0, 99.0, 101.0, 103.0, 105.0, 107.0, 109.0, 111.0, 113.0, 115.0, 117.0, 119.0, 121.0, 123.0, 125.0, 127.0]> : tensor<66xf32>}) -> tensor<66x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<66xf32>) outs(%out : tensor<66x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<66x3xf32>
  func.return %r : tensor<66x3xf32>
}

// -----

// 64 elements take as little memory as the code.
// CHECK-LABEL: func.func @few_floats
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @few_floats(%x: tensor<3xf32>, %out: tensor<64x3xf32>, %t: tensor<64xf32> {loomir.blob = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0]> : tensor<64xf32>}) -> tensor<64x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<64xf32>) outs(%out : tensor<64x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<64x3xf32>
  func.return %r : tensor<64x3xf32>
}

// -----

// The last one is another number.
// CHECK-LABEL: func.func @last_float
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @last_float(%x: tensor<3xf32>, %out: tensor<66x3xf32>, %t: tensor<66xf32> {loomir.blob = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0, 64.0, 64.0]> : tensor<66xf32>}) -> tensor<66x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<66xf32>) outs(%out : tensor<66x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<66x3xf32>
  func.return %r : tensor<66x3xf32>
}

// -----

// Halves are no integers.
// CHECK-LABEL: func.func @halves
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @halves(%x: tensor<3xf32>, %out: tensor<66x3xf32>, %t: tensor<66xf32> {loomir.blob = dense<[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0, 20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0, 25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0, 30.5, 31.0, 31.5, 32.0, 32.5]> : tensor<66xf32>}) -> tensor<66x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<66xf32>) outs(%out : tensor<66x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<66x3xf32>
  func.return %r : tensor<66x3xf32>
}

// -----

// Of zeros, the integer has no sign.
// CHECK-LABEL: func.func @minus_zero
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @minus_zero(%x: tensor<3xf32>, %out: tensor<66x3xf32>, %t: tensor<66xf32> {loomir.blob = dense<[-65.0, -64.0, -63.0, -62.0, -61.0, -60.0, -59.0, -58.0, -57.0, -56.0, -55.0, -54.0, -53.0, -52.0, -51.0, -50.0, -49.0, -48.0, -47.0, -46.0, -45.0, -44.0, -43.0, -42.0, -41.0, -40.0, -39.0, -38.0, -37.0, -36.0, -35.0, -34.0, -33.0, -32.0, -31.0, -30.0, -29.0, -28.0, -27.0, -26.0, -25.0, -24.0, -23.0, -22.0, -21.0, -20.0, -19.0, -18.0, -17.0, -16.0, -15.0, -14.0, -13.0, -12.0, -11.0, -10.0, -9.0, -8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0, -0.0]> : tensor<66xf32>}) -> tensor<66x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<66xf32>) outs(%out : tensor<66x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<66x3xf32>
  func.return %r : tensor<66x3xf32>
}

// -----

// The inner loop would convert an integer in each iteration.
// CHECK-LABEL: func.func @inner_loop
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @inner_loop(%x: tensor<3xf32>, %out: tensor<3x66xf32>, %t: tensor<66xf32> {loomir.blob = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0, 64.0, 65.0]> : tensor<66xf32>}) -> tensor<3x66xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<66xf32>) outs(%out : tensor<3x66xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<3x66xf32>
  func.return %r : tensor<3x66xf32>
}

// -----

// Somebody else needs it in memory.
// CHECK-LABEL: func.func @read_twice
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @read_twice(%x: tensor<3xf32>, %out: tensor<66x3xf32>, %t: tensor<66xf32> {loomir.blob = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0, 64.0, 65.0]> : tensor<66xf32>}) -> tensor<66x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xf32>, tensor<66xf32>) outs(%out : tensor<66x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<66x3xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %t[%c0] : tensor<66xf32>
  %r2 = tensor.insert %e into %r[%c0, %c0] : tensor<66x3xf32>
  func.return %r2 : tensor<66x3xf32>
}

// -----

// Vectors of integers are loaded faster than they are computed: only their memory speaks against it.
// CHECK-LABEL: func.func @integers
// FAST-SAME:     loomir.blob
// FAST:          linalg.generic {{.*}} ins(%x, %t :
// SMALL-NOT:     loomir.blob
// SMALL:         linalg.generic {{.*}} ins(%x :
// SMALL:           %[[I:.*]] = linalg.index 1
// SMALL-NEXT:      %[[K:.*]] = arith.index_cast %[[I]] : index to i32
// SMALL-NEXT:      arith.extsi %[[K]] : i32 to i64
func.func @integers(%x: tensor<3xi64>, %out: tensor<3x66xi1>, %t: tensor<1x66xi64> {loomir.blob = dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65]]> : tensor<1x66xi64>}) -> tensor<3x66xi1> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xi64>, tensor<1x66xi64>) outs(%out : tensor<3x66xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<3x66xi1>
  func.return %r : tensor<3x66xi1>
}

// -----

// Integers of more than 32 bits are computed slowly.
// CHECK-LABEL: func.func @wide_integers
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @wide_integers(%x: tensor<3xi64>, %out: tensor<3x66xi1>, %t: tensor<66xi64> {loomir.blob = dense<[2147483583, 2147483584, 2147483585, 2147483586, 2147483587, 2147483588, 2147483589, 2147483590, 2147483591, 2147483592, 2147483593, 2147483594, 2147483595, 2147483596, 2147483597, 2147483598, 2147483599, 2147483600, 2147483601, 2147483602, 2147483603, 2147483604, 2147483605, 2147483606, 2147483607, 2147483608, 2147483609, 2147483610, 2147483611, 2147483612, 2147483613, 2147483614, 2147483615, 2147483616, 2147483617, 2147483618, 2147483619, 2147483620, 2147483621, 2147483622, 2147483623, 2147483624, 2147483625, 2147483626, 2147483627, 2147483628, 2147483629, 2147483630, 2147483631, 2147483632, 2147483633, 2147483634, 2147483635, 2147483636, 2147483637, 2147483638, 2147483639, 2147483640, 2147483641, 2147483642, 2147483643, 2147483644, 2147483645, 2147483646, 2147483647, 2147483648]> : tensor<66xi64>}) -> tensor<3x66xi1> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xi64>, tensor<66xi64>) outs(%out : tensor<3x66xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<3x66xi1>
  func.return %r : tensor<3x66xi1>
}

// -----

// These are no sequence.
// CHECK-LABEL: func.func @squares
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @squares(%x: tensor<3xi64>, %out: tensor<3x66xi1>, %t: tensor<66xi64> {loomir.blob = dense<[0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361, 400, 441, 484, 529, 576, 625, 676, 729, 784, 841, 900, 961, 1024, 1089, 1156, 1225, 1296, 1369, 1444, 1521, 1600, 1681, 1764, 1849, 1936, 2025, 2116, 2209, 2304, 2401, 2500, 2601, 2704, 2809, 2916, 3025, 3136, 3249, 3364, 3481, 3600, 3721, 3844, 3969, 4096, 4225]> : tensor<66xi64>}) -> tensor<3x66xi1> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3xi64>, tensor<66xi64>) outs(%out : tensor<3x66xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<3x66xi1>
  func.return %r : tensor<3x66xi1>
}

// -----

// A reduction reads it.
// CHECK-LABEL: func.func @a_sum
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @a_sum(%x: tensor<66x3xf32>, %out: tensor<66xf32>, %t: tensor<66xf32> {loomir.blob = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0, 64.0, 65.0]> : tensor<66xf32>}) -> tensor<66xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %t : tensor<66x3xf32>, tensor<66xf32>) outs(%out : tensor<66xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %m = arith.mulf %p, %q : f32
    %o = arith.addf %old, %m : f32
    linalg.yield %o : f32
  } -> tensor<66xf32>
  func.return %r : tensor<66xf32>
}

// -----

// It goes along one of two axes.
// CHECK-LABEL: func.func @a_matrix
// CHECK-NOT:     loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x :
// CHECK:           linalg.index 0
func.func @a_matrix(%x: tensor<40x2x5xf32>, %out: tensor<40x2x5xf32>, %t: tensor<40x2xf32> {loomir.blob = dense<[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [5.0, 5.0], [6.0, 6.0], [7.0, 7.0], [8.0, 8.0], [9.0, 9.0], [10.0, 10.0], [11.0, 11.0], [12.0, 12.0], [13.0, 13.0], [14.0, 14.0], [15.0, 15.0], [16.0, 16.0], [17.0, 17.0], [18.0, 18.0], [19.0, 19.0], [20.0, 20.0], [21.0, 21.0], [22.0, 22.0], [23.0, 23.0], [24.0, 24.0], [25.0, 25.0], [26.0, 26.0], [27.0, 27.0], [28.0, 28.0], [29.0, 29.0], [30.0, 30.0], [31.0, 31.0], [32.0, 32.0], [33.0, 33.0], [34.0, 34.0], [35.0, 35.0], [36.0, 36.0], [37.0, 37.0], [38.0, 38.0], [39.0, 39.0]]> : tensor<40x2xf32>}) -> tensor<40x2x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %t : tensor<40x2x5xf32>, tensor<40x2xf32>) outs(%out : tensor<40x2x5xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<40x2x5xf32>
  func.return %r : tensor<40x2x5xf32>
}

// -----

// Or along both.
// CHECK-LABEL: func.func @a_plane
// CHECK-SAME:    loomir.blob
// CHECK:         linalg.generic {{.*}} ins(%x, %t :
func.func @a_plane(%x: tensor<40x2x5xf32>, %out: tensor<40x2x5xf32>, %t: tensor<40x2xf32> {loomir.blob = dense<[[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 4.0], [4.0, 5.0], [5.0, 6.0], [6.0, 7.0], [7.0, 8.0], [8.0, 9.0], [9.0, 10.0], [10.0, 11.0], [11.0, 12.0], [12.0, 13.0], [13.0, 14.0], [14.0, 15.0], [15.0, 16.0], [16.0, 17.0], [17.0, 18.0], [18.0, 19.0], [19.0, 20.0], [20.0, 21.0], [21.0, 22.0], [22.0, 23.0], [23.0, 24.0], [24.0, 25.0], [25.0, 26.0], [26.0, 27.0], [27.0, 28.0], [28.0, 29.0], [29.0, 30.0], [30.0, 31.0], [31.0, 32.0], [32.0, 33.0], [33.0, 34.0], [34.0, 35.0], [35.0, 36.0], [36.0, 37.0], [37.0, 38.0], [38.0, 39.0], [39.0, 40.0]]> : tensor<40x2xf32>}) -> tensor<40x2x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %t : tensor<40x2x5xf32>, tensor<40x2xf32>) outs(%out : tensor<40x2x5xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<40x2x5xf32>
  func.return %r : tensor<40x2x5xf32>
}
