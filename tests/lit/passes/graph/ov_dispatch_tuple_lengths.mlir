// RUN: loomir-opt %s -p 'ov-dispatch-tuple-lengths,canonicalize,cse' --split-input-file | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-dispatch-tuple-lengths' --split-input-file -o /dev/null 2>&1 | filecheck %s --check-prefix REMARK

// The bound says that it is one of three.
// REMARK: remark: ov-dispatch-tuple-lengths: done: ov.gather_nd: tuples of 0 or 1 or 2 indices
// CHECK:      %[[S:.*]] = ov.shape_of %i
// CHECK:      ov.if {{.*}} -> (tensor<*xf32>) {
// CHECK:        %[[A:.*]] = ov.reshape %i, {{.*}} -> tensor<3x0xi64>
// CHECK-NEXT:   ov.gather_nd %x, %[[A]] : (tensor<4x5xf32>, tensor<3x0xi64>) -> tensor<3x4x5xf32>
// CHECK:      } else {
// CHECK:        ov.if {{.*}} -> (tensor<*xf32>) {
// CHECK:          ov.gather_nd {{.*}} : (tensor<4x5xf32>, tensor<3x1xi64>) -> tensor<3x5xf32>
// CHECK:        } else {
// CHECK-NOT:      ov.require
// CHECK:          ov.gather_nd {{.*}} : (tensor<4x5xf32>, tensor<3x2xi64>) -> tensor<3xf32>
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x?xi64> {loomir.bounds = [3 : i64, 2 : i64]}) -> tensor<*xf32> {
  %y = ov.gather_nd %x, %i : (tensor<4x5xf32>, tensor<3x?xi64>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}

// -----

// The updates have a rank for one of them, which is asked.
// REMARK: remark: ov-dispatch-tuple-lengths: done: ov.scatter_nd_update: tuples of 1 indices
// CHECK-NOT:  ov.if
// CHECK:      %[[R:.*]] = ov.require %i, {{.*}} {kind = "shape", reason = "the tuples of indices of ov.scatter_nd_update are of another length"}
// CHECK:      %[[A:.*]] = ov.reshape %[[R]], {{.*}} -> tensor<3x1xi64>
// CHECK:      ov.scatter_nd_update %x, %[[A]], %u {reduction = "sum"}
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x?xi64>, %u: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %y = ov.scatter_nd_update %x, %i, %u {reduction = "sum"} : (tensor<4x5xf32>, tensor<3x?xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return %y : tensor<4x5xf32>
}

// -----

// One length is left as it is, and a rank that is not known.
// REMARK: remark: ov-dispatch-tuple-lengths: left: ov.gather_nd: a rank is not known, or no length fits
// CHECK:      ov.gather_nd %x, %i : (tensor<4x5xf32>, tensor<?x2xi64>) -> tensor<?xf32>
// CHECK-NEXT: ov.gather_nd %u, %j : (tensor<*xf32>, tensor<3x?xi64>) -> tensor<*xf32>
func.func @main(%x: tensor<4x5xf32>, %u: tensor<*xf32>, %i: tensor<?x2xi64>, %j: tensor<3x?xi64>) -> (tensor<?xf32>, tensor<*xf32>) {
  %y = ov.gather_nd %x, %i : (tensor<4x5xf32>, tensor<?x2xi64>) -> tensor<?xf32>
  %z = ov.gather_nd %u, %j : (tensor<*xf32>, tensor<3x?xi64>) -> tensor<*xf32>
  func.return %y, %z : tensor<?xf32>, tensor<*xf32>
}
