// RUN: loomir-opt %s -p lower-linalg-to-loops --split-input-file | filecheck %s

// Floats that the outer loop's iteration number gives are computed there, once.
// CHECK-LABEL: func.func @of_the_outer_loop
// CHECK:         scf.for %[[I:[a-z0-9_]+]] =
// CHECK-NEXT:      %[[K:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[K]] : i32 to f32
// CHECK-NEXT:      %[[H:.*]] = arith.mulf %[[F]], %s : f32
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        %[[X:.*]] = memref.load %x
// CHECK-NEXT:        arith.addf %[[X]], %[[H]] : f32
func.func @of_the_outer_loop(%x: memref<3xf32>, %s: f32, %y: memref<8x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<3xf32>) outs(%y : memref<8x3xf32>) {
  ^bb0(%p: f32, %old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %h = arith.mulf %f, %s : f32
    %o = arith.addf %p, %h : f32
    linalg.yield %o : f32
  }
  func.return
}

// -----

// The inner loop's number is another one in each of its iterations; of two numbers, the inner loop has both.
// CHECK-LABEL: func.func @of_the_inner_loop
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK:             arith.addi
// CHECK:             arith.sitofp
func.func @of_the_inner_loop(%y: memref<8x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%y : memref<8x3xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.addi %i, %j : index
    %k = arith.index_cast %n : index to i32
    %f = arith.sitofp %k : i32 to f32
    linalg.yield %f : f32
  }
  func.return
}

// -----

// Integers stay where they are needed.
// CHECK-LABEL: func.func @integers
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        memref.load
// CHECK-NEXT:        arith.index_cast
// CHECK-NEXT:        arith.addi
func.func @integers(%x: memref<3xi32>, %y: memref<8x3xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<3xi32>) outs(%y : memref<8x3xi32>) {
  ^bb0(%p: i32, %old: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %o = arith.addi %p, %k : i32
    linalg.yield %o : i32
  }
  func.return
}

// -----

// The middle loop's number is known in the middle; a division by it may not run where no iteration is left inside.
// CHECK-LABEL: func.func @in_the_middle
// CHECK:         scf.for
// CHECK-NEXT:      scf.for %[[J:[a-z0-9_]+]] =
// CHECK-NEXT:        %[[K:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT:        arith.sitofp %[[K]] : i32 to f32
// CHECK-NEXT:        scf.for
// CHECK:               arith.divsi
// CHECK:               arith.sitofp
func.func @in_the_middle(%a: i32, %x: memref<3xf32>, %y: memref<2x8x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<3xf32>) outs(%y : memref<2x8x3xf32>) {
  ^bb0(%p: f32, %old: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %d = arith.divsi %a, %k : i32
    %g = arith.sitofp %d : i32 to f32
    %h = arith.addf %f, %g : f32
    %o = arith.addf %p, %h : f32
    linalg.yield %o : f32
  }
  func.return
}

// -----

// A tile has several numbers along its loop: each point converts its own. The other loop's number is the same for all.
// CHECK-LABEL: func.func @in_a_tile
// CHECK:         scf.for
// CHECK-NEXT:      scf.for %[[J:[a-z0-9_]+]] =
// CHECK-NEXT:        %[[L:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT:        arith.sitofp %[[L]] : i32 to f32
// CHECK-NEXT:        scf.for
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NEXT:            %[[I:.*]] = arith.addi
// CHECK:                 %[[K:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT:            arith.sitofp %[[K]] : i32 to f32
func.func @in_a_tile(%x: memref<5x3xf32>, %y: memref<8x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<5x3xf32>) outs(%y : memref<8x3xf32>) {
  ^bb0(%p: f32, %old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %j = linalg.index 1 : index
    %l = arith.index_cast %j : index to i32
    %g = arith.sitofp %l : i32 to f32
    %h = arith.mulf %f, %g : f32
    %m = arith.mulf %p, %h : f32
    %o = arith.addf %old, %m : f32
    linalg.yield %o : f32
  }
  func.return
}
