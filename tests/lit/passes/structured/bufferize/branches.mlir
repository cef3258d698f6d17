// RUN: loomir-opt %s -p bufferize --split-input-file | filecheck %s

// Both branches compute their result: into one buffer, here the output's.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}) {
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: linalg.fill ins(%u : f32) outs([[out]] : memref<4xf32>)
// CHECK-NEXT: } else {
// CHECK-NEXT: linalg.fill ins(%v : f32) outs([[out]] : memref<4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @main(%c: i1, %u: f32, %v: f32) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %x = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %x = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A conditional update in place.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}) {
// CHECK: linalg.fill ins(%u : f32) outs([[out]] : memref<4xf32>)
// CHECK-NEXT: scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: memref.store %u, [[out]][%j] : memref<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @main(%c: i1, %u: f32, %i: index, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %r = scf.if %c -> (tensor<4xf32>) {
      %y = tensor.insert %u into %h[%j] : tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    } else {
      scf.yield %h : tensor<4xf32>
    }
    scf.yield %r : tensor<4xf32>
  }
  return %l : tensor<4xf32>
}

// -----

// One branch keeps the old value, the other computes a new one while it still reads the old: a choice of buffers, and the spare
// one is returned behind the value, because the loop hands it on.
// CHECK-LABEL: func.func @main
// CHECK: scf.for %j = {{.*}} iter_args(%h = %{{.*}}, [[p:%[0-9]+]] = %{{.*}})
// CHECK-NEXT: %r, [[spare:%[0-9]+]] = scf.if %c -> (memref<4xf32>, memref<4xf32>) {
// CHECK: linalg.generic {{.*}} ins(%h : memref<4xf32>) outs([[p]] : memref<4xf32>)
// CHECK: scf.yield [[p]], %h : memref<4xf32>, memref<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %h, [[p]] : memref<4xf32>, memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %r, [[spare]]
func.func @main(%c: i1, %u: f32, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %r = scf.if %c -> (tensor<4xf32>) {
      %e2 = tensor.empty() : tensor<4xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (3 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%h : tensor<4xf32>) outs(%e2 : tensor<4xf32>) {
      ^bb0(%p: f32, %o: f32):
        linalg.yield %p : f32
      } -> tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    } else {
      scf.yield %h : tensor<4xf32>
    }
    scf.yield %r : tensor<4xf32>
  }
  return %l : tensor<4xf32>
}
