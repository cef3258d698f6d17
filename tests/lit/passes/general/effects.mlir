// RUN: loomir-opt %s -p dce,cse --split-input-file | filecheck %s

#id = affine_map<(d0) -> (d0)>

// On tensors linalg is a value: what nothing uses goes, with what only it needs. Equal ones stay two, each with its destination.
// CHECK-LABEL: func.func @on_tensors
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.mulf
// CHECK: arith.addf
// CHECK: arith.addf
func.func @on_tensors(%x: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, tensor<4xf32>) {
  %dead = arith.remui %n, %n : i32
  %d = tensor.empty() : tensor<4xf32>
  %unused = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// What may stop the program stays, and what writes to a buffer.
// CHECK-LABEL: func.func @stays
// CHECK: cf.assert
// CHECK: linalg.fill
func.func @stays(%x: tensor<4xi1>, %zero: f32, %m: memref<4xf32>) {
  %d = tensor.empty() : tensor<4xi1>
  %unused = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xi1>) outs(%d : tensor<4xi1>) {
  ^bb0(%a: i1, %o: i1):
    cf.assert %a, "index: outside"
    linalg.yield %a : i1
  } -> tensor<4xi1>
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  func.return
}
