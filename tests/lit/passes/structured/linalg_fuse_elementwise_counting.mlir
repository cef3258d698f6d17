// RUN: loomir-opt %s -p linalg-fuse-elementwise --remarks --split-input-file --verify-diagnostics | filecheck %s

// Iteration numbers become floats, and each row of the result reads one of them, through a view.
// The outer loop computes it; the view and both buffers are gone.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     tensor.expand_shape
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
// CHECK-SAME:      ins(%x : tensor<3xf32>) outs(%out : tensor<?x3xf32>)
// CHECK:           linalg.index 0
// CHECK-NEXT:      arith.index_cast
// CHECK-NEXT:      arith.sitofp
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @rows(%x: tensor<3xf32>, %n: index, %out: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %ei = tensor.empty(%n) : tensor<?xi64>
  %ints = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ei : tensor<?xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    linalg.yield %k : i64
  } -> tensor<?xi64>
  %ef = tensor.empty(%n) : tensor<?xf32>
  // expected-remark@+1 {{done: linalg.generic: fused 1 producers}}
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%ints : tensor<?xi64>) outs(%ef : tensor<?xf32>) {
  ^bb0(%k: i64, %old: f32):
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %v = tensor.expand_shape %floats [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  // expected-remark@+1 {{done: linalg.generic: fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %v : tensor<3xf32>, tensor<?x1xf32>) outs(%out : tensor<?x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<?x3xf32>
  func.return %r : tensor<?x3xf32>
}

// -----

// The inner loop would convert each number once for each row: the numbers and their view stay as they are.
// CHECK-LABEL: func.func @columns
// CHECK:         %[[T:.*]] = linalg.generic
// CHECK:           arith.sitofp
// CHECK:         %[[V:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0 : i64, 1 : i64]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
// CHECK:         linalg.generic {{.*}} ins(%x, %[[V]] :
func.func @columns(%x: tensor<4x8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %ef = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  %v = tensor.expand_shape %floats [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %v : tensor<4x8xf32>, tensor<1x8xf32>) outs(%out : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// The loops run along the output: here the numbers belong to the outer one.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT:     linalg.index
// CHECK:         linalg.generic {{.*}} ins(%x : tensor<4x8xf32>)
// CHECK:           linalg.index 1
// CHECK-NOT:     linalg.generic
func.func @transposed(%x: tensor<4x8xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %ef = tensor.empty() : tensor<8xf32>
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  // expected-remark@+1 {{fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %floats : tensor<4x8xf32>, tensor<8xf32>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// -----

// A loop of one iteration around them computes nothing again.
// CHECK-LABEL: func.func @one_image
// CHECK-NOT:     linalg.index
// CHECK:         linalg.generic {{.*}} ins(%x : tensor<1x8x3xf32>)
// CHECK:           linalg.index 1
// CHECK-NOT:     linalg.generic
func.func @one_image(%x: tensor<1x8x3xf32>, %out: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  %ef = tensor.empty() : tensor<8xf32>
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  // expected-remark@+1 {{fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %floats : tensor<1x8x3xf32>, tensor<8xf32>) outs(%out : tensor<1x8x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<1x8x3xf32>
  func.return %r : tensor<1x8x3xf32>
}

// -----

// A loop of two iterations would compute each twice.
// CHECK-LABEL: func.func @two_images
// CHECK:         arith.sitofp
// CHECK:         linalg.generic {{.*}} ins(%x, %{{.*}} : tensor<2x8x3xf32>, tensor<8xf32>)
func.func @two_images(%x: tensor<2x8x3xf32>, %out: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  %ef = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %floats : tensor<2x8x3xf32>, tensor<8xf32>) outs(%out : tensor<2x8x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<2x8x3xf32>
  func.return %r : tensor<2x8x3xf32>
}

// -----

// A few sums of integers are as cheap as a load, in the inner loop, too.
// CHECK-LABEL: func.func @few_integers
// CHECK-NOT:     linalg.index
// CHECK:         linalg.generic {{.*}} ins(%lengths : tensor<4xi64>)
// CHECK:           linalg.index 1
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @few_integers(%lengths: tensor<4xi64>, %s: i64, %out: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %e = tensor.empty() : tensor<8xi64>
  %ints = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %t = arith.addi %k, %s : i64
    %u = arith.subi %t, %k : i64
    linalg.yield %u : i64
  } -> tensor<8xi64>
  // expected-remark@+1 {{fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ints, %lengths : tensor<8xi64>, tensor<4xi64>) outs(%out : tensor<4x8xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<4x8xi1>
  func.return %r : tensor<4x8xi1>
}

// -----

// Five are not.
// CHECK-LABEL: func.func @many_integers
// CHECK-COUNT-2: linalg.generic
func.func @many_integers(%lengths: tensor<4xi64>, %s: i64, %out: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %e = tensor.empty() : tensor<8xi64>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %ints = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %t0 = arith.addi %k, %s : i64
    %t1 = arith.addi %t0, %s : i64
    %t2 = arith.addi %t1, %s : i64
    %t3 = arith.addi %t2, %s : i64
    %t4 = arith.addi %t3, %s : i64
    linalg.yield %t4 : i64
  } -> tensor<8xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ints, %lengths : tensor<8xi64>, tensor<4xi64>) outs(%out : tensor<4x8xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<4x8xi1>
  func.return %r : tensor<4x8xi1>
}

// -----

// A product of 64 bits is a call on small processors.
// CHECK-LABEL: func.func @long_product
// CHECK-COUNT-2: linalg.generic
func.func @long_product(%lengths: tensor<4xi64>, %s: i64, %out: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %e = tensor.empty() : tensor<8xi64>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %ints = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %t = arith.muli %k, %s : i64
    linalg.yield %t : i64
  } -> tensor<8xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ints, %lengths : tensor<8xi64>, tensor<4xi64>) outs(%out : tensor<4x8xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<4x8xi1>
  func.return %r : tensor<4x8xi1>
}

// -----

// One of 32 bits is not.
// CHECK-LABEL: func.func @short_product
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @short_product(%lengths: tensor<4xi64>, %s: i64, %out: tensor<4x8xi1>) -> tensor<4x8xi1> {
  %e = tensor.empty() : tensor<8xi64>
  %ints = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %two = arith.constant 2 : i32
    %k = arith.index_cast %i : index to i32
    %t = arith.muli %k, %two : i32
    %w = arith.extsi %t : i32 to i64
    linalg.yield %w : i64
  } -> tensor<8xi64>
  // expected-remark@+1 {{fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ints, %lengths : tensor<8xi64>, tensor<4xi64>) outs(%out : tensor<4x8xi1>) {
  ^bb0(%p: i64, %q: i64, %old: i1):
    %o = arith.cmpi slt, %p, %q : i64
    linalg.yield %o : i1
  } -> tensor<4x8xi1>
  func.return %r : tensor<4x8xi1>
}

// -----

// A table that the body reads is memory.
// CHECK-LABEL: func.func @a_table
// CHECK-COUNT-2: linalg.generic
func.func @a_table(%x: tensor<3xf32>, %table: tensor<8xf32>, %out: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %ef = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %g = arith.sitofp %k : i64 to f32
    %c3 = arith.constant 3 : index
    %h = tensor.extract %table[%c3] : tensor<8xf32>
    %f = arith.mulf %g, %h : f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %floats : tensor<3xf32>, tensor<8xf32>) outs(%out : tensor<8x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<8x3xf32>
  func.return %r : tensor<8x3xf32>
}

// -----

// A reduction is faster over what is there.
// CHECK-LABEL: func.func @a_sum
// CHECK-COUNT-2: linalg.generic
func.func @a_sum(%x: tensor<8x3xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %ef = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %floats : tensor<8x3xf32>, tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %m = arith.mulf %p, %q : f32
    %o = arith.addf %old, %m : f32
    linalg.yield %o : f32
  } -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// -----

// What is computed behind a sum stays its epilogue, also where something else is in between.
// CHECK-LABEL: func.func @behind_a_sum
// CHECK-COUNT-3: linalg.generic
// CHECK:           arith.negf
// CHECK-NEXT:      arith.addf
func.func @behind_a_sum(%x: tensor<8x3x5xf32>, %sums: tensor<8x3xf32>, %out: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %e = tensor.empty() : tensor<8x3xf32>
  // expected-remark@+1 {{it reduces, or is marked}}
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<8x3x5xf32>) outs(%sums : tensor<8x3xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = arith.addf %old, %p : f32
    linalg.yield %o : f32
  } -> tensor<8x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = arith.negf %p : f32
    linalg.yield %o : f32
  } -> tensor<8x3xf32>
  %ef = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{left: linalg.generic: its elements are read more than once and would be recomputed}}
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%ef : tensor<8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  // expected-remark@+1 {{fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%floats, %t : tensor<8xf32>, tensor<8x3xf32>) outs(%out : tensor<8x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<8x3xf32>
  func.return %r : tensor<8x3xf32>
}

// -----

// Anything elementwise is computed behind such a view, which adds a loop of one iteration.
// CHECK-LABEL: func.func @through_a_view
// CHECK-NOT:     tensor.expand_shape
// CHECK:         linalg.generic {{.*}} ins(%y, %x : tensor<?x1xf32>, tensor<?xf32>)
// CHECK:           math.exp
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @through_a_view(%x: tensor<?xf32>, %y: tensor<?x1xf32>, %n: index, %e: tensor<?xf32>, %out: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = math.exp %p : f32
    linalg.yield %o : f32
  } -> tensor<?xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  // expected-remark@+1 {{fused 1 producers}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%v, %y : tensor<?x1xf32>, tensor<?x1xf32>) outs(%out : tensor<?x1xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<?x1xf32>
  func.return %r : tensor<?x1xf32>
}

// -----

// A fill behind one is a scalar.
// CHECK-LABEL: func.func @a_fill
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}} ins(%y, %s : tensor<?x1xf32>, f32)
func.func @a_fill(%s: f32, %y: tensor<?x1xf32>, %n: index, %e: tensor<?xf32>, %out: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %a = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%v, %y : tensor<?x1xf32>, tensor<?x1xf32>) outs(%out : tensor<?x1xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<?x1xf32>
  func.return %r : tensor<?x1xf32>
}

// -----

// Somebody else reads the view.
// CHECK-LABEL: func.func @a_view_for_two
// CHECK-COUNT-2: linalg.generic
func.func @a_view_for_two(%x: tensor<?xf32>, %y: tensor<?x1xf32>, %n: index, %e: tensor<?xf32>, %out: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  // expected-remark@+1 {{another operation uses it, too}}
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = math.exp %p : f32
    linalg.yield %o : f32
  } -> tensor<?xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%v, %y : tensor<?x1xf32>, tensor<?x1xf32>) outs(%out : tensor<?x1xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<?x1xf32>
  func.return %r, %v : tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

// Somebody else reads what is viewed.
// CHECK-LABEL: func.func @what_is_viewed_for_two
// CHECK-COUNT-2: linalg.generic
func.func @what_is_viewed_for_two(%x: tensor<?xf32>, %y: tensor<?x1xf32>, %n: index, %e: tensor<?xf32>, %out: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?xf32>) {
  // expected-remark@+1 {{another operation uses it, too}}
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = math.exp %p : f32
    linalg.yield %o : f32
  } -> tensor<?xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%v, %y : tensor<?x1xf32>, tensor<?x1xf32>) outs(%out : tensor<?x1xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<?x1xf32>
  func.return %r, %a : tensor<?x1xf32>, tensor<?xf32>
}

// -----

// A view that splits a dimension is more than that.
// CHECK-LABEL: func.func @a_split
// CHECK-COUNT-2: linalg.generic
func.func @a_split(%x: tensor<6xf32>, %y: tensor<2x3xf32>, %e: tensor<6xf32>, %out: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = math.exp %p : f32
    linalg.yield %o : f32
  } -> tensor<6xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%v, %y : tensor<2x3xf32>, tensor<2x3xf32>) outs(%out : tensor<2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %o = arith.addf %p, %q : f32
    linalg.yield %o : f32
  } -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// -----

// What it is computed from is overwritten before the consumer.
// CHECK-LABEL: func.func @overwritten
// CHECK-COUNT-2: linalg.generic
func.func @overwritten(%x: tensor<?xf32>, %n: index, %s: f32, %e: tensor<?xf32>, %out: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-remark@+1 {{what it reads may be overwritten before it is read}}
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = math.exp %p : f32
    linalg.yield %o : f32
  } -> tensor<?xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %w = tensor.insert %s into %x[%c0] : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%v : tensor<?x1xf32>) outs(%out : tensor<?x1xf32>) {
  ^bb0(%p: f32, %old: f32):
    %o = arith.negf %p : f32
    linalg.yield %o : f32
  } -> tensor<?x1xf32>
  func.return %r, %w : tensor<?x1xf32>, tensor<?xf32>
}

// -----

// The view alone tells the extent of a loop.
// CHECK-LABEL: func.func @extent
// CHECK:         tensor.expand_shape
// CHECK:         linalg.generic
func.func @extent(%s: f32, %n: index, %e: tensor<?xf32>, %out: tensor<f32>) -> tensor<f32> {
  %a = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%v : tensor<?x1xf32>) outs(%out : tensor<f32>) {
  ^bb0(%p: f32, %old: f32):
    %o = arith.addf %old, %p : f32
    linalg.yield %o : f32
  } -> tensor<f32>
  func.return %r : tensor<f32>
}
