// RUN: loomir-opt %s -p convert-ov-loop-to-scf | filecheck %s

// The slices bound the trips: a static accumulator, written in place.
// CHECK-LABEL: func.func @sliced
func.func @sliced(%x: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8x4xf32>
  // CHECK-NEXT: %sum, %all = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%acc = %zero, %[[A:.*]] = %[[E]]) -> (tensor<1x4xf32>, tensor<8x4xf32>)
  // CHECK-NEXT: %part = tensor.extract_slice %x[%[[I]], 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  // CHECK-NEXT: %next = ov.add %acc, %part
  // CHECK-NEXT: %[[B:.*]] = tensor.insert_slice %next into %[[A]][%[[I]], 0] [1, 4] [1, 1]
  // CHECK-NEXT: scf.yield %next, %[[B]]
  %sum, %all = ov.loop carried(%zero) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<1x4xf32>, %part: tensor<1x4xf32>):
    %next = ov.add %acc, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%next : tensor<1x4xf32>) concat(%next : tensor<1x4xf32>)
  }
  func.return %sum, %all : tensor<1x4xf32>, tensor<8x4xf32>
}

// A run-time trip count and initial condition, and no condition in the body: still scf.for.
// CHECK-LABEL: func.func @initial_condition
// CHECK-SAME: (%n: i64 {loomir.type = tensor<i64>}, %c: i1 {loomir.type = tensor<i1>}) -> (i64 {loomir.type = tensor<i64>})
// CHECK: %[[T:.*]] = arith.index_cast %n : i64 to index
// CHECK: %[[NEG:.*]] = arith.cmpi slt, %[[T]], %{{.*}} : index
// CHECK: %[[LIMIT:.*]] = arith.select %[[NEG]], %{{.*}}, %[[T]] : index
// CHECK: %[[UB:.*]] = arith.select %c, %[[LIMIT]], %{{.*}} : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[UB]] step %{{.*}} iter_args(%k = %n) -> (i64)
// CHECK-NEXT: %[[K:.*]] = tensor.from_elements %k : tensor<i64>
// CHECK-NEXT: %m = ov.add %[[K]], %[[K]]
// CHECK-NEXT: %[[M:.*]] = tensor.extract %m[] : tensor<i64>
// CHECK-NEXT: scf.yield %[[M]] : i64
func.func @initial_condition(%n: tensor<i64>, %c: tensor<i1>) -> tensor<i64> {
  %r = ov.loop trip(%n) while(%c) carried(%n) : (tensor<i64>, tensor<i1>, tensor<i64>) -> (tensor<i64>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>):
    %m = ov.add %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%m : tensor<i64>)
  }
  func.return %r : tensor<i64>
}

// A condition in the body: scf.while in its normal form, counter and condition first.
// CHECK-LABEL: func.func @early_exit
// CHECK: %[[CAP:.*]] = tensor.empty() : tensor<40xf32>
// CHECK: scf.while (%[[I0:.*]] = %{{.*}}, %[[GO0:.*]] = %{{.*}}, %[[ACC0:.*]] = %[[CAP]]) : (index, i1, tensor<40xf32>) -> (index, i1, tensor<40xf32>)
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[I0]], %{{.*}} : index
// CHECK-NEXT: %[[GO:.*]] = arith.andi %[[MORE]], %[[GO0]] : i1
// CHECK-NEXT: scf.condition(%[[GO]]) %[[I0]], %[[GO0]], %[[ACC0]]
// CHECK: ^bb0(%[[I:.*]]: index, %{{.*}}: i1, %[[ACC:.*]]: tensor<40xf32>):
// CHECK: cf.assert %{{.*}}, "capacity: an output of the loop has room for 10 parts"
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK-NEXT: %[[F:.*]] = tensor.collapse_shape %y {{.*}} : tensor<1x4xf32> into tensor<4xf32>
// CHECK-NEXT: tensor.insert_slice %[[F]] into %[[ACC]][%[[AT]]] [4] [1] : tensor<4xf32> into tensor<40xf32>
func.func @early_exit(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #ov.bounds<10, ?>> {
  %r = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> (tensor<?x4xf32, #ov.bounds<10, ?>>) {
  ^bb0(%i: tensor<i64>):
    %y = ov.add %x, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next while(%c) concat(%y : tensor<1x4xf32>)
  }
  func.return %r : tensor<?x4xf32, #ov.bounds<10, ?>>
}

// Backwards over a dynamic axis; an inner axis is concatenated: strided within the capacity, packed after the loop.
// CHECK-LABEL: func.func @strided
// CHECK: %[[GRID:.*]] = tensor.empty() : tensor<3x8xf32>
// CHECK: %r = scf.for %[[I:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[GRID]]) -> (tensor<3x8xf32>)
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %[[I]] : index
// CHECK-NEXT: %p = tensor.extract_slice %{{.*}}[0, %[[AT]]] [3, 1] [1, 1] : tensor<3x?xf32> to tensor<3x1xf32>
// CHECK-NEXT: tensor.insert_slice %p into %[[ACC]][0, %[[I]]] [3, 1] [1, 1] : tensor<3x1xf32> into tensor<3x8xf32>
// CHECK: %[[USED:.*]] = tensor.extract_slice %r[0, 0] [3, %[[N:.*]]] [1, 1] : tensor<3x8xf32> to tensor<3x?xf32>
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<24xf32>
// CHECK: tensor.insert_slice %[[USED]] into %{{.*}}[0, 0] [3, %[[N]]] [1, 1] : tensor<3x?xf32> into tensor<3x?xf32>
// CHECK: %[[FLAT:.*]] = tensor.insert_slice %{{.*}} into %[[OUT]][0] [%{{.*}}] [1] : tensor<?xf32> into tensor<24xf32>
// CHECK: func.return %[[FLAT]], %[[N]] : tensor<24xf32>, index
func.func @strided(%x: tensor<3x?xf32> {loomir.name = "x", loomir.bounds = [3, 8]}) -> tensor<3x?xf32, #ov.bounds<?, 8>> {
  %r = ov.loop sliced(%x) {slices = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 1>]}
      : (tensor<3x?xf32>) -> (tensor<3x?xf32, #ov.bounds<?, 8>>) {
  ^bb0(%i: tensor<i64>, %p: tensor<3x1xf32>):
    ov.next concat(%p : tensor<3x1xf32>)
  }
  func.return %r : tensor<3x?xf32, #ov.bounds<?, 8>>
}

// Zero trips for sure: no loop.
// CHECK-LABEL: func.func @never
// CHECK-NOT: scf.for
// CHECK: %last = linalg.fill
// CHECK: func.return %x, %last
func.func @never(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %f, %last = ov.loop trip(%zero) carried(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    ov.next carried(%a : tensor<4xf32>) last(%a : tensor<4xf32>)
  }
  func.return %f, %last : tensor<4xf32>, tensor<4xf32>
}
