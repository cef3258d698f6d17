// What no stage has, whatever pass it is handed to: an error with its place, and what the pass takes.
// RUN: loomir-opt %s --verify-diagnostics --split-input-file -o /dev/null
// RUN: loomir-opt %s --verify-diagnostics --split-input-file -p ov-bound-shapes,convert-ov-to-linalg -o /dev/null
// RUN: loomir-opt %s --verify-diagnostics --split-input-file -p ov-bound-shapes,convert-ov-to-linalg --check-each-pass -o /dev/null

// An operand that the operation's own region defines.
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{operand 1 (of the operation's own region) is not defined before or not visible here}}
  scf.for %i = %c0 to %i step %n {
    scf.yield
  }
  func.return
}

// -----

// xDSL's verifier raises an exception of no class of its own.
func.func @main(%m: memref<3x4xf32>, %i: index) {
  // expected-error @below {{memref.load: expected an index for each dimension}}
  %x = memref.load %m[%i] : memref<3x4xf32>
  func.return
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xindex>) -> tensor<4xindex> {
  %p = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%x : tensor<4xindex>) {
  ^bb0(%j: index):
    // expected-error @below {{dimension 1 in a linalg.generic with 1}}
    %a = linalg.index 1 : index
    linalg.yield %a : index
  } -> tensor<4xindex>
  func.return %p : tensor<4xindex>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @below {{0 strides, 0 of them operands, for 1 dimensions}}
  %y = tensor.extract_slice %x[0] [2] [] : tensor<4xf32> to tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %row = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> to tensor<4xf32>
  // expected-error @below {{tensor.insert_slice: sizes [1099511627776] for a slice of type tensor<4xf32>}}
  %z = tensor.insert_slice %row into %y[0] [1099511627776] [1] : tensor<4xf32> into tensor<8xf32>
  func.return %z : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4x1xf32> {
  // expected-error @below {{an output_shape of 2 numbers, 0 of them operands, for tensor<4x1xf32>}}
  %y = tensor.expand_shape %x [[0, 1]] output_shape [4, -9223372036854775808] : tensor<4xf32> into tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}
