// RUN: loomir-opt %s -p bufferize --split-input-file | filecheck %s

// Tensor results become arguments with their attributes and a role; scalars and dims stay results; a weight has no role.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%x: memref<8xf32> {loomir.name = "x", loomir.type = tensor<?x2xui8>, loomir.role = "input"}, %n: index {loomir.dim = "x:0"},
// CHECK-SAME: %s: f32 {loomir.name = "s"}, %w: memref<2xf32> {loomir.blob = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>},
// CHECK-SAME: %{{.*}}: memref<8xf32> {loomir.name = "y", loomir.role = "output"}) -> (f32 {loomir.name = "t"}, index {loomir.dim = "y:0"})
// CHECK: linalg.copy ins(%x :
// CHECK: func.return %s, %n : f32, index
func.func @main(%x: tensor<8xf32> {loomir.name = "x", loomir.type = tensor<?x2xui8>}, %n: index {loomir.dim = "x:0"}, %s: f32 {loomir.name = "s"}, %w: tensor<2xf32> {loomir.blob = dense<[1.0, 2.0]> : tensor<2xf32>}) -> (f32 {loomir.name = "t"}, tensor<8xf32> {loomir.name = "y"}, index {loomir.dim = "y:0"}) {
  return %s, %x, %n : f32, tensor<8xf32>, index
}

// -----

// A loop with a constant trip count: the buffer that holds the result after three rotations is the output's.
// CHECK-LABEL: func.func @main
// CHECK-SAME: [[outa:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}, [[outb:%[0-9]+]]: memref<4xf32> {loomir.role = "output"}
// CHECK-NOT: alloc
// CHECK: linalg.fill ins(%u : f32) outs([[outb]] : memref<4xf32>)
// CHECK-NEXT: linalg.fill ins(%v : f32) outs([[outa]] : memref<4xf32>)
// CHECK-NEXT: scf.for %i = %c0 to %c3 step %c1 iter_args(%a = [[outb]], %b = [[outa]])
// CHECK-NEXT: scf.yield %b, %a
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @main(%u: f32, %v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%u : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
