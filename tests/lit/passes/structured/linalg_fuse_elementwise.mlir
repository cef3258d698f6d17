// RUN: loomir-opt %s -p linalg-fuse-elementwise | filecheck %s
// RUN: loomir-opt %s -p linalg-fuse-elementwise --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: linalg-fuse-elementwise: done: linalg.generic: fused 3 producers
// REMARK-DAG: linalg-fuse-elementwise: left: linalg.generic: another operation uses it, too

// A chain with a fill, into a reduction: one operation, in which the fill is a scalar; the accumulator's fill stays.
// CHECK-LABEL: func.func @chain
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%zero : f32)
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {indexing_maps = [{{.*}}], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : {{.*}}) outs(%[[INIT]] : tensor<4xf32>)
// CHECK:           math.exp
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @chain(%x: tensor<4x6xf32>, %s: f32) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %er = tensor.empty() : tensor<4xf32>
  %scale = linalg.fill ins(%s : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%p: f32, %old: f32):
    %v = math.exp %p : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a, %scale : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %v = arith.mulf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%b : tensor<4x6xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %v = arith.addf %acc, %p : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// Two users: computed once, and left alone.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-3: linalg.generic
// CHECK:         func.return
func.func @twice(%x: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %old: f32):
    %v = math.exp %p : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %old: f32):
    %v = math.tanh %p : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %old: f32):
    %v = math.sin %p : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  func.return %b, %c : tensor<4xf32>, tensor<4xf32>
}

// Integers are widened where a product reads them, less a zero point, and not before; nor is a split of their
// dimensions in the way.
// CHECK-LABEL: func.func @widened
// CHECK:         %[[SPLIT:.*]] = tensor.expand_shape %x {{.*}} : tensor<4x6xi8> into tensor<4x2x3xi8>
// CHECK:         linalg.generic {{.*}} ins(%w, %[[SPLIT]] : tensor<2x3x5xi8>, tensor<4x2x3xi8>)
// CHECK-DAG:       arith.extui
// CHECK-DAG:       arith.subi %{{.*}}, %zero_point
// CHECK-DAG:       arith.extsi
// CHECK:           arith.muli
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @widened(%x: tensor<4x6xi8>, %w: tensor<2x3x5xi8>) -> tensor<4x5xi32> {
  %zero = arith.constant 0 : i32
  %zero_point = arith.constant 100 : i32
  %e = tensor.empty() : tensor<4x6xi32>
  %ew = tensor.empty() : tensor<2x3x5xi32>
  %er = tensor.empty() : tensor<4x5xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x6xi8>) outs(%e : tensor<4x6xi32>) {
  ^bb0(%p: i8, %old: i32):
    %v = arith.extui %p : i8 to i32
    linalg.yield %v : i32
  } -> tensor<4x6xi32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x6xi32>) outs(%e : tensor<4x6xi32>) {
  ^bb0(%p: i32, %old: i32):
    %v = arith.subi %p, %zero_point : i32
    linalg.yield %v : i32
  } -> tensor<4x6xi32>
  %c = tensor.expand_shape %b [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xi32> into tensor<4x2x3xi32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x3x5xi8>) outs(%ew : tensor<2x3x5xi32>) {
  ^bb0(%p: i8, %old: i32):
    %v = arith.extsi %p : i8 to i32
    linalg.yield %v : i32
  } -> tensor<2x3x5xi32>
  %init = linalg.fill ins(%zero : i32) outs(%er : tensor<4x5xi32>) -> tensor<4x5xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, k, l)>, affine_map<(i, j, k, l) -> (k, l, j)>,
      affine_map<(i, j, k, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%c, %d : tensor<4x2x3xi32>, tensor<2x3x5xi32>) outs(%init : tensor<4x5xi32>) {
  ^bb0(%p: i32, %q: i32, %acc: i32):
    %v = arith.muli %p, %q : i32
    %s = arith.addi %acc, %v : i32
    linalg.yield %s : i32
  } -> tensor<4x5xi32>
  func.return %r : tensor<4x5xi32>
}
