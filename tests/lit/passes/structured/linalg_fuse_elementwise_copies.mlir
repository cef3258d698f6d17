// RUN: loomir-opt %s -p linalg-fuse-elementwise | filecheck %s
// Producers that are computed in each reader, and one that stays behind the products that it unites.

#same = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A constant less a number: both readers compute it.
// CHECK-LABEL: func.func @of_a_constant
// CHECK: linalg.generic {{.*}} ins(%k, %n : tensor<8xi64>, i64)
// CHECK: arith.subi
// CHECK: arith.maxsi
// CHECK: linalg.generic {{.*}} ins(%k, %n : tensor<8xi64>, i64)
// CHECK: arith.subi
// CHECK: arith.cmpi sge
func.func @of_a_constant(%k: tensor<8xi64> {loomir.blob = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>}, %n: i64) -> (tensor<8xi64>, tensor<8xi1>) {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xi64>
  %b = tensor.empty() : tensor<8xi1>
  %d = linalg.generic {indexing_maps = [#same, #none, #same], iterator_types = ["parallel"]} ins(%k, %n : tensor<8xi64>, i64) outs(%e : tensor<8xi64>) {
  ^bb0(%p: i64, %q: i64, %o: i64):
    %s = arith.subi %p, %q : i64
    linalg.yield %s : i64
  } -> tensor<8xi64>
  %m = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%d : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%p: i64, %o: i64):
    %s = arith.maxsi %p, %zero : i64
    linalg.yield %s : i64
  } -> tensor<8xi64>
  %c = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%d : tensor<8xi64>) outs(%b : tensor<8xi1>) {
  ^bb0(%p: i64, %o: i1):
    %s = arith.cmpi sge, %p, %zero : i64
    linalg.yield %s : i1
  } -> tensor<8xi1>
  func.return %m, %c : tensor<8xi64>, tensor<8xi1>
}

// What is no constant may be overwritten in the meantime, a function costs more than a load, and a result is no reader.
// CHECK-LABEL: func.func @of_an_input
// CHECK-COUNT-1: arith.subf
// CHECK-NOT: arith.subf
// CHECK: func.return
func.func @of_an_input(%k: tensor<8xf32>, %n: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %d = linalg.generic {indexing_maps = [#same, #none, #same], iterator_types = ["parallel"]} ins(%k, %n : tensor<8xf32>, f32) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  func.return %m, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @function_of_a_constant
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: func.return
func.func @function_of_a_constant(%k: tensor<8xf32> {loomir.blob = dense<2.0> : tensor<8xf32>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %d = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%k : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  func.return %m, %c : tensor<8xf32>, tensor<8xf32>
}

#row = affine_map<(i, k) -> (k)>
#weights = affine_map<(i, k) -> (k, i)>
#out = affine_map<(i, k) -> (i)>

// The consumer overwrites the state, which a product reads: the sum of both products is computed behind the second one.
// CHECK-LABEL: func.func @state
// CHECK: scf.for
// CHECK-COUNT-2: iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK-NOT: arith.addf
// CHECK: math.tanh
func.func @state(%x: tensor<4xf32>, %w: tensor<4x4xf32>, %r: tensor<4x4xf32>, %h: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %h) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %a = linalg.generic {indexing_maps = [#row, #weights, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<4xf32>, tensor<4x4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %b = linalg.generic {indexing_maps = [#row, #weights, #out], iterator_types = ["parallel", "reduction"]} ins(%v, %r : tensor<4xf32>, tensor<4x4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = math.tanh %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  func.return %last : tensor<4xf32>
}
