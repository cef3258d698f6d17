// Passes of LOOPS work on buffers, which bufferize makes.
// RUN: loomir-opt %s --verify-diagnostics -p lower-linalg-to-loops -o /dev/null
// RUN: loomir-opt %s -p bufferize,lower-linalg-to-loops | filecheck %s

// expected-error @below {{func.func: lower-linalg-to-loops takes programs of the structured and loops stage: a value of type tensor<2x3xf32>}}
func.func @main(%x: tensor<2x3xf32> {loomir.name = "x"}) -> (tensor<2x3xf32> {loomir.name = "y"}) {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// CHECK: func.func @main(%x: memref<2x3xf32>
// CHECK: scf.for
// CHECK: arith.addf
