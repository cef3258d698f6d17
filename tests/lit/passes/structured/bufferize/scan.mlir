// RUN: loomir-opt %s -p bufferize --split-input-file | filecheck %s

// A scan output is written straight into its slice, and the accumulator is the output.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<6x4xf32> {loomir.role = "output"}) {
// CHECK-NOT: alloc
// CHECK: scf.for %i = %c0 to %c6 step %c1 {
// CHECK: memref.subview %x[%i, 0] [1, 4] [1, 1]
// CHECK-NEXT: [[in:%[0-9]+]] = memref.collapse_shape
// CHECK-NEXT: memref.subview [[out]][%i, 0] [1, 4] [1, 1] : memref<6x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
// CHECK-NEXT: [[row:%[0-9]+]] = memref.collapse_shape {{.*}} into memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT: linalg.generic {{.*}} ins([[in]] : {{.*}}) outs([[row]] : memref<4xf32, strided<[1], offset: ?>>)
// CHECK-NOT: copy
// CHECK: func.return
func.func @main(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %acc = tensor.empty() : tensor<6x4xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %acc) -> (tensor<6x4xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<6x4xf32> to tensor<1x4xf32>
    %s1 = tensor.collapse_shape %s [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s1 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = math.exp %p : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    %g1 = tensor.expand_shape %g [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %b = tensor.insert_slice %g1 into %a[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<6x4xf32>
    scf.yield %b : tensor<6x4xf32>
  }
  return %r : tensor<6x4xf32>
}

// -----

// On another axis the slice isn't contiguous; the unit dimension can be dropped all the same.
// CHECK-LABEL: func.func @main
// CHECK-NOT: alloc
// CHECK: memref.subview %{{[0-9]+}}[0, %i] [4, 1] [1, 1] : memref<4x6xf32> to memref<4x1xf32, strided<[6, 1], offset: ?>>
// CHECK-NEXT: [[column:%[0-9]+]] = memref.collapse_shape {{.*}} into memref<4xf32, strided<[6], offset: ?>>
// CHECK-NEXT: linalg.generic {{.*}} outs([[column]] : memref<4xf32, strided<[6], offset: ?>>)
// CHECK-NOT: copy
// CHECK: func.return
func.func @main(%x: tensor<4xf32>) -> tensor<4x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %acc = tensor.empty() : tensor<4x6xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %acc) -> (tensor<4x6xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = math.exp %p : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    %g1 = tensor.expand_shape %g [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %b = tensor.insert_slice %g1 into %a[0, %i] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x6xf32>
    scf.yield %b : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}

// -----

// A matrix that is also used flat cannot be computed in a block of columns, which isn't contiguous.
// CHECK-LABEL: func.func @main
// CHECK: [[g:%[0-9]+]] = memref.alloc() : memref<2x2xf32>
// CHECK: linalg.generic {{.*}} outs([[g]] : memref<2x2xf32>)
// CHECK: linalg.copy ins([[g]] : memref<2x2xf32>) outs(%{{[0-9]+}} : memref<2x2xf32, strided<[6, 1], offset: ?>>)
func.func @main(%x: tensor<2x2xf32>, %i: index) -> (tensor<2x6xf32>, f32) {
  %acc = tensor.empty() : tensor<2x6xf32>
  %zero = arith.constant 0.0 : f32
  %a = linalg.fill ins(%zero : f32) outs(%acc : tensor<2x6xf32>) -> tensor<2x6xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<2x2xf32>
  %flat = tensor.collapse_shape %g [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %v = tensor.extract %flat[%i] : tensor<4xf32>
  %b = tensor.insert_slice %g into %a[0, %i] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<2x6xf32>
  return %b, %v : tensor<2x6xf32>, f32
}

// -----

// A dynamic slice of a flat capacity: the offset is computed before the value.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<24xf32> {loomir.role = "output"}) {
// CHECK-NOT: alloc
// CHECK: linalg.copy ins(%acc : {{.*}}) outs([[out]] :
// CHECK: %at = arith.muli %i, %n2 : index
// CHECK-NEXT: [[flat:%[0-9]+]] = memref.subview [[out]][%at] [%n2] [1] : memref<24xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT: [[row:%[0-9]+]] = memref.expand_shape [[flat]] {{.*}} output_shape [%n, 2] : {{.*}} into memref<?x2xf32, strided<[2, 1], offset: ?>>
// CHECK-NEXT: linalg.generic {{.*}} outs([[row]] : memref<?x2xf32, strided<[2, 1], offset: ?>>)
// CHECK-NOT: copy
// CHECK: func.return
func.func @main(%x: tensor<8xf32>, %n: index, %acc: tensor<24xf32>) -> tensor<24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n2 = arith.muli %n, %c2 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %acc) -> (tensor<24xf32>) {
    %xf = tensor.extract_slice %x[0] [%n2] [1] : tensor<8xf32> to tensor<?xf32>
    %xs = tensor.expand_shape %xf [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
    %e = tensor.empty() : tensor<8xf32>
    %ef = tensor.extract_slice %e[0] [%n2] [1] : tensor<8xf32> to tensor<?xf32>
    %es = tensor.expand_shape %ef [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%xs : tensor<?x2xf32>) outs(%es : tensor<?x2xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = math.exp %p : f32
      linalg.yield %t : f32
    } -> tensor<?x2xf32>
    %gf = tensor.collapse_shape %g [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
    %gc = tensor.insert_slice %gf into %e[0] [%n2] [1] : tensor<?xf32> into tensor<8xf32>
    %gp = tensor.extract_slice %gc[0] [%n2] [1] : tensor<8xf32> to tensor<?xf32>
    %at = arith.muli %i, %n2 : index
    %b = tensor.insert_slice %gp into %a[%at] [%n2] [1] : tensor<?xf32> into tensor<24xf32>
    scf.yield %b : tensor<24xf32>
  }
  return %r : tensor<24xf32>
}

// -----

// A concatenation: both parts are computed where they belong, though the second before the first is inserted.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<6xf32> {loomir.role = "output"}) {
// CHECK-NEXT: [[low:%[0-9]+]] = memref.subview [[out]][0] [4] [1] : memref<6xf32> to memref<4xf32>
// CHECK-NEXT: linalg.fill ins(%u : f32) outs([[low]] : memref<4xf32>)
// CHECK-NEXT: [[high:%[0-9]+]] = memref.subview [[out]][4] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1], offset: 4>>
// CHECK-NEXT: linalg.fill ins(%v : f32) outs([[high]] : memref<2xf32, strided<[1], offset: 4>>)
// CHECK-NEXT: func.return
func.func @main(%u: f32, %v: f32) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<2xf32>
  %a = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%v : f32) outs(%e2 : tensor<2xf32>) -> tensor<2xf32>
  %c = tensor.empty() : tensor<6xf32>
  %c1 = tensor.insert_slice %a into %c[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
  %c2 = tensor.insert_slice %b into %c1[4] [2] [1] : tensor<2xf32> into tensor<6xf32>
  return %c2 : tensor<6xf32>
}
