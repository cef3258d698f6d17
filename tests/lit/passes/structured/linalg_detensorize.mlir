// RUN: loomir-opt %s -p linalg-detensorize | filecheck %s
// RUN: loomir-opt --remarks %s -p linalg-detensorize -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// Each function is one way of a tensor of one element, or a near miss.

// Carried, computed by a generic, and returned.
// CHECK-LABEL: func.func @carried
// CHECK: %[[Z:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[W:.*]] = tensor.extract %w[%[[Z]], %[[Z]]] : tensor<1x1xf32>
// CHECK-DAG: %[[X:.*]] = tensor.extract %x[%[[Z]], %[[Z]]] : tensor<1x1xf32>
// CHECK: %[[R:.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%[[P:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[P]], %[[W]] : f32
// CHECK-NEXT: scf.yield %[[S]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[O:.*]] = tensor.empty() : tensor<1x1xf32>
// CHECK-NEXT: %[[F:.*]] = linalg.fill ins(%[[R]] : f32) outs(%[[O]] : tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: func.return %[[F]] : tensor<1x1xf32>
// REMARK: linalg-detensorize: done: scf.for: carries tensors of one element as scalars
func.func @carried(%x: tensor<1x1xf32>, %w: tensor<1x1xf32>, %n: index) -> tensor<1x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<1x1xf32>) {
    %e = tensor.empty() : tensor<1x1xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%v, %w : tensor<1x1xf32>, tensor<1x1xf32>) outs(%e : tensor<1x1xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<1x1xf32>
    scf.yield %g : tensor<1x1xf32>
  }
  func.return %r : tensor<1x1xf32>
}

// Two that change places in a while, which keeps its normal form.
// CHECK-LABEL: func.func @rotated
// CHECK: scf.while (%[[B:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[C:.*]] = %c) : (i64, i64, i1) -> (i64, i64, i1) {
// CHECK-NEXT: scf.condition(%[[C]]) %[[B]], %[[A]], %[[C]] : i64, i64, i1
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[P:.*]]: i64, %[[Q:.*]]: i64, %{{.*}}: i1):
// CHECK: %[[D:.*]] = arith.cmpi slt, %[[P]], %[[Q]] : i64
// CHECK: scf.yield %[[Q]], %[[P]], %[[D]] : i64, i64, i1
func.func @rotated(%x: tensor<1xi64>, %y: tensor<1xi64>, %c: i1) -> tensor<1xi64> {
  %c0 = arith.constant 0 : index
  %r:3 = scf.while (%a = %x, %b = %y, %k = %c) : (tensor<1xi64>, tensor<1xi64>, i1) -> (tensor<1xi64>, tensor<1xi64>, i1) {
    scf.condition(%k) %a, %b, %k : tensor<1xi64>, tensor<1xi64>, i1
  } do {
  ^bb0(%p: tensor<1xi64>, %q: tensor<1xi64>, %l: i1):
    %f = tensor.extract %p[%c0] : tensor<1xi64>
    %g = tensor.extract %q[%c0] : tensor<1xi64>
    %d = arith.cmpi slt, %f, %g : i64
    scf.yield %q, %p, %d : tensor<1xi64>, tensor<1xi64>, i1
  }
  func.return %r#0 : tensor<1xi64>
}

// The result of a branch, one arm of which is a fill and the other a view of an insertion; the number is extracted.
// CHECK-LABEL: func.func @branch
// CHECK: %[[R:.*]] = scf.if %c -> (f32) {
// CHECK: scf.yield %a : f32
// CHECK-NEXT: } else {
// CHECK: scf.yield %b : f32
// CHECK-NEXT: }
// CHECK: func.return %[[R]] : f32
func.func @branch(%c: i1, %a: f32, %b: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<1xf32>
  %d = tensor.empty() : tensor<1x1xf32>
  %r = scf.if %c -> (tensor<1xf32>) {
    %f = linalg.fill ins(%a : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %f : tensor<1xf32>
  } else {
    %i = tensor.insert %b into %d[%c0, %c0] : tensor<1x1xf32>
    %v = tensor.collapse_shape %i [[0 : i64, 1 : i64]] : tensor<1x1xf32> into tensor<1xf32>
    scf.yield %v : tensor<1xf32>
  }
  %x = tensor.extract %r[%c0] : tensor<1xf32>
  func.return %x : f32
}

// A generic that reads its output and its indices, which are 0, and one whose input is a scalar already.
// CHECK-LABEL: func.func @bodies
// CHECK: %[[Z:.*]] = arith.constant 0 : index
// CHECK: %[[X:.*]] = tensor.extract %x[%[[Z]]] : tensor<1xi64>
// CHECK: %[[K:.*]] = arith.index_cast %[[Z]] : index to i64
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[X]], %[[K]] : i64
// CHECK-NEXT: %[[T:.*]] = arith.muli %[[S]], %k : i64
// CHECK-NEXT: linalg.fill ins(%[[T]] : i64) outs(%x : tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: func.return
func.func @bodies(%x: tensor<1xi64>, %k: i64) -> tensor<1xi64> {
  %g = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%x : tensor<1xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %s = arith.addi %o, %n : i64
    linalg.yield %s : i64
  } -> tensor<1xi64>
  %h = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%g, %k : tensor<1xi64>, i64) outs(%x : tensor<1xi64>) {
  ^bb0(%p: i64, %q: i64, %o: i64):
    %s = arith.muli %p, %q : i64
    linalg.yield %s : i64
  } -> tensor<1xi64>
  func.return %h : tensor<1xi64>
}

// Near miss: the memory of a dynamic tensor need not have an element.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<1xf32>) {
func.func @dynamic(%x: tensor<1xf32>, %n: index) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<1xf32>) {
    %d = tensor.extract_slice %v[0] [%i] [1] : tensor<1xf32> to tensor<?xf32>
    %e = tensor.empty() : tensor<1xf32>
    %w = tensor.insert_slice %d into %e[0] [%i] [1] : tensor<?xf32> into tensor<1xf32>
    scf.yield %w : tensor<1xf32>
  }
  func.return %r : tensor<1xf32>
}

// Near miss: a sum of two elements.
// CHECK-LABEL: func.func @sum
// CHECK: linalg.generic
func.func @sum(%x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
  %g = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (0)>], iterator_types = ["reduction"]} ins(%x : tensor<2xf32>) outs(%y : tensor<1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  func.return %g : tensor<1xf32>
}
