// RUN: loomir-opt %s -p linalg-fuse-elementwise --split-input-file | filecheck %s

// A sum of 32 bits that is quantised to 8 is quantised behind its own reduction, not in front of the next one.
// CHECK-LABEL: func.func @between_two_sums
// CHECK: %[[S:.*]] = linalg.generic {{.*}}"reduction"
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[S]]
// CHECK: arith.shrsi
// CHECK: arith.trunci
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%[[Q]]
// CHECK: arith.extui
func.func @between_two_sums(%x: tensor<4x8xi32>, %zero: i32) -> tensor<i32> {
  %e = tensor.empty() : tensor<4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi32>) outs(%f : tensor<4xi32>) {
  ^bb0(%a: i32, %sum: i32):
    %t = arith.addi %sum, %a : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %shift = arith.constant 4 : i32
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %old: i32):
    %t = arith.shrsi %a, %shift : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %e8 = tensor.empty() : tensor<4xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m : tensor<4xi32>) outs(%e8 : tensor<4xi8>) {
  ^bb0(%a: i32, %old: i8):
    %t = arith.trunci %a : i32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  %e0 = tensor.empty() : tensor<i32>
  %f0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%q : tensor<4xi8>) outs(%f0 : tensor<i32>) {
  ^bb0(%a: i8, %sum: i32):
    %w = arith.extui %a : i8 to i32
    %t = arith.addi %sum, %w : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  func.return %r : tensor<i32>
}

// -----

// The groups of a convolution are split before the padding, which is then read where it is needed.
// CHECK-LABEL: func.func @groups_of_what_is_padded
// CHECK: %[[V:.*]] = tensor.expand_shape %x {{.*}} tensor<1x4x5xi8> into tensor<1x2x2x5xi8>
// CHECK: tensor.pad %[[V]] low[0, 0, 0, 1] high[0, 0, 0, 2]
// CHECK: tensor<1x2x2x5xi8> to tensor<1x2x2x8xi8>
// CHECK-NOT: tensor.expand_shape
func.func @groups_of_what_is_padded(%x: tensor<1x4x5xi8>, %zero: i8) -> tensor<1x2x2x8xi8> {
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<1x4x5xi8> to tensor<1x4x8xi8>
  %v = tensor.expand_shape %p [[0], [1, 2], [3]] output_shape [1, 2, 2, 8] : tensor<1x4x8xi8> into tensor<1x2x2x8xi8>
  func.return %v : tensor<1x2x2x8xi8>
}

// -----

// Not where a dimension that is padded is split.
// CHECK-LABEL: func.func @a_padded_dimension_is_split
// CHECK: tensor.pad %x
// CHECK: tensor.expand_shape
func.func @a_padded_dimension_is_split(%x: tensor<1x4x5xi8>, %zero: i8) -> tensor<1x4x2x4xi8> {
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<1x4x5xi8> to tensor<1x4x8xi8>
  %v = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<1x4x8xi8> into tensor<1x4x2x4xi8>
  func.return %v : tensor<1x4x2x4xi8>
}

// -----

// So it is where steps are read several times on the way: by a comparison, and by what its result corrects (halves that go to even numbers).
// CHECK-LABEL: func.func @steps_that_are_read_twice
// CHECK: %[[S:.*]] = linalg.generic {{.*}}"reduction"
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[S]]
// CHECK: arith.muli
// CHECK: arith.cmpi
// CHECK: arith.trunci
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%[[Q]]
// CHECK: arith.extui
func.func @steps_that_are_read_twice(%x: tensor<4x8xi32>, %zero: i32, %k: i32) -> tensor<i32> {
  %e = tensor.empty() : tensor<4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi32>) outs(%f : tensor<4xi32>) {
  ^bb0(%a: i32, %sum: i32):
    %t = arith.addi %sum, %a : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %old: i32):
    %t = arith.muli %a, %k : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %e1 = tensor.empty() : tensor<4xi1>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m : tensor<4xi32>) outs(%e1 : tensor<4xi1>) {
  ^bb0(%a: i32, %old: i1):
    %t = arith.cmpi sle, %a, %k : i32
    linalg.yield %t : i1
  } -> tensor<4xi1>
  %e8 = tensor.empty() : tensor<4xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m, %c : tensor<4xi32>, tensor<4xi1>) outs(%e8 : tensor<4xi8>) {
  ^bb0(%a: i32, %b: i1, %old: i8):
    %w = arith.extui %b : i1 to i32
    %t = arith.subi %a, %w : i32
    %u = arith.trunci %t : i32 to i8
    linalg.yield %u : i8
  } -> tensor<4xi8>
  %e0 = tensor.empty() : tensor<i32>
  %f0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%q : tensor<4xi8>) outs(%f0 : tensor<i32>) {
  ^bb0(%a: i8, %sum: i32):
    %w = arith.extui %a : i8 to i32
    %t = arith.addi %sum, %w : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  func.return %r : tensor<i32>
}
