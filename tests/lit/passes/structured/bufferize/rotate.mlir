// RUN: loomir-opt %s -p bufferize --split-input-file | filecheck %s

// A carried value that is read while the next one is computed: two buffers that change places.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %x: memref<4xf32> {loomir.role = "input"}, %n: index, [[out:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}) {
// CHECK-NEXT: [[a:%[0-9]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: [[b:%[0-9]+]] = memref.alloc() : memref<4xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.copy ins(%x : {{.*}}) outs([[a]] :
// CHECK-NEXT: [[r:%.*]], %{{.*}} = scf.for %i = %c0 to %n step %c1 iter_args(%h = [[a]], [[p:%.*]] = [[b]])
// CHECK-NEXT: linalg.fill ins(%zero : f32) outs([[p]] : memref<4xf32>)
// CHECK-NEXT: linalg.generic {{.*}} ins(%w, %h : memref<4x4xf32>, memref<4xf32>) outs([[p]] : memref<4xf32>)
// CHECK: scf.yield [[p]], %h : memref<4xf32>, memref<4xf32>
// CHECK: linalg.copy ins(%r : {{.*}}) outs([[out]] :
// CHECK-NEXT: func.return
func.func @main(%w: tensor<4x4xf32>, %x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%w, %h : tensor<4x4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %o : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A value computed when the carried one is dead needs no second buffer, and the loop carries nothing.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[out:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}) {
// CHECK-NEXT: [[t:%[0-9]+]] = memref.alloc() : memref<4xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.copy ins(%x : {{.*}}) outs([[out]] :
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK: linalg.generic {{.*}} ins(%w, [[out]] : memref<4x4xf32>, memref<4xf32>) outs([[t]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins([[t]] : memref<4xf32>) outs([[out]] : memref<4xf32>)
// CHECK-NOT: copy
// CHECK: func.return
func.func @main(%w: tensor<4x4xf32>, %x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%w, %h : tensor<4x4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %o : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %k = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %t = math.exp %a : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A swap is a change of names.
// CHECK-LABEL: func.func @main
// CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%a = [[x:%[0-9]+]], %b = [[y:%[0-9]+]])
// CHECK-NEXT: scf.yield %b, %a : memref<4xf32>, memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: linalg.copy ins(%r : {{.*}}) outs(%{{[0-9]+}} :
// CHECK-NEXT: linalg.copy ins(%r_1 : {{.*}}) outs(%{{[0-9]+}} :
// CHECK-NEXT: func.return
func.func @main(%n: index, %u: f32, %v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A while loop in normal form; its condition region reads the carried tensor.
// CHECK-LABEL: func.func @main
// CHECK: %r, %{{.*}} = scf.while (%a = [[a:%[0-9]+]], [[p:%[0-9]+]] = [[b:%[0-9]+]]) : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: memref.load %a[%c0] : memref<4xf32>
// CHECK: scf.condition(%go) %a, [[p]] : memref<4xf32>, memref<4xf32>
// CHECK: ^bb0(%[[a2:.*]]: memref<4xf32>, %[[p2:.*]]: memref<4xf32>):
// CHECK: ins(%[[a2]] : memref<4xf32>) outs(%[[p2]] : memref<4xf32>)
// CHECK: scf.yield %[[p2]], %[[a2]] : memref<4xf32>, memref<4xf32>
func.func @main(%n: f32, %u: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = tensor.extract %a[%c0] : tensor<4xf32>
    %go = arith.cmpf olt, %v, %n : f32
    scf.condition(%go) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %e2 = tensor.empty() : tensor<4xf32>
    %k = linalg.generic {indexing_maps = [affine_map<(d0) -> (3 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e2 : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The inner loop's second buffer becomes one of the outer loop's: what it returns is carried on.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: scf.for %i = {{.*}} iter_args(%h = %{{.*}}, [[p:%[0-9]+]] = %{{.*}})
// CHECK-NEXT: %q, [[spare:%[0-9]+]] = scf.for %j = {{.*}} iter_args(%h2 = %h, [[p2:%[0-9]+]] = [[p]])
// CHECK: scf.yield [[p2]], %h2
// CHECK: scf.yield %q, [[spare]]
func.func @main(%w: tensor<4x4xf32>, %x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%h2 = %h) -> (tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%w, %h2 : tensor<4x4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %p, %o : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      scf.yield %g : tensor<4xf32>
    }
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
