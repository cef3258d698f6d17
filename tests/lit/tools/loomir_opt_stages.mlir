// A pass that cannot do with a program of another stage says so.
// RUN: loomir-opt %s --verify-diagnostics --split-input-file -p canonicalize,ov-bound-shapes,convert-ov-to-linalg,canonicalize -o /dev/null

// expected-error @below {{func.func: ov-bound-shapes takes programs of the graph stage: a value of type f32: in GRAPH that is a tensor, a sequence or an optional}}
func.func @main(%x: f32) {
  func.return
}

// -----

func.func @main(%x: f32) -> f32 {
  // expected-error @below {{arith.addf: ov-bound-shapes takes programs of the graph stage: not an operation of the graph stage}}
  %y = arith.addf %x, %x : f32
  func.return %y : f32
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
