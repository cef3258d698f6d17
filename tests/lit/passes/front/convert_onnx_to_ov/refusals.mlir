// RUN: loomir-opt %s -p convert-onnx-to-ov --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{[unsupported-operator]}}
  %y = onnx.node "Binarizer" 1 in "ai.onnx.ml" (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{operator set 9 has no operator 'Gelu' in 'ai.onnx' yet [unknown-operator]}}
  %y = onnx.node "Gelu" 9 (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{3 inputs of Relu-14, which has 1 [invalid-onnx]}}
  %y = onnx.node "Relu" 14 (%x, %x, %x) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{2 outputs of Relu-14, which has 1 [invalid-onnx]}}
  %y, %z = onnx.node "Relu" 14 (%x) : (tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{Elu-6 has no attribute 'beta' [invalid-onnx]}}
  %y = onnx.node "Elu" 6 (%x) {beta = 1.0 : f32} : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{the attribute 'alpha' has a wrong type [invalid-onnx]}}
  %y = onnx.node "Elu" 6 (%x) {alpha = 1 : i64} : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xi64>) -> !onnx.unknown {
  // expected-error@+1 {{input 'X' of Elu-6 is tensor(int64)}}
  %y = onnx.node "Elu" 6 (%x) : (tensor<2xi64>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  %none = onnx.none : none
  // expected-error@+1 {{input 0 is missing [invalid-onnx]}}
  %y = onnx.node "Elu" 6 (%none) : (none) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

onnx.function "Again" in "example" {
^bb0(%x: !onnx.unknown):
  // expected-error@+1 {{the function example.Again calls itself [invalid-onnx]}}
  %y = onnx.node "Again" 1 in "example" (%x) : (!onnx.unknown) -> !onnx.unknown
  onnx.yield %y : !onnx.unknown
}
func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  %y = onnx.node "Again" 1 in "example" (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{not an operation of a model in FRONT [mlir-invalid]}}
  %y = ov.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> none {
  %none = onnx.none : none
  // expected-error@+1 {{output 0 of the model has no value [undefined-name]}}
  func.return %none : none
}

// -----

// Versions that no operator set has.
func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{operator set 9223372036854775807 has no operator 'Relu' in 'ai.onnx' yet [unknown-operator]}}
  %y = onnx.node "Relu" 9223372036854775807 (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

// expected-error@+1 {{the input 'arg0' is of type !onnx.unknown, which is not specific enough [invalid-onnx]}}
func.func @main(%x: !onnx.unknown) -> !onnx.unknown {
  func.return %x : !onnx.unknown
}

// -----

// expected-error@+1 {{the input 'x' is of type tensor<2x!onnx.unknown>, which is not specific enough [invalid-onnx]}}
func.func @main(%x: tensor<2x!onnx.unknown> {loomir.name = "x"}) -> tensor<2x!onnx.unknown> {
  func.return %x : tensor<2x!onnx.unknown>
}

// -----

// An error in a function that a function calls is said where it stands.
onnx.function "A" in "e" {
^bb0(%x: !onnx.unknown):
  %y = onnx.node "Neg" 13 (%x) : (!onnx.unknown) -> !onnx.unknown
  onnx.yield %y : !onnx.unknown
}
onnx.function "B" in "e" {
^bb0(%x: !onnx.unknown):
  %y = onnx.node "A" 1 in "e" (%x) : (!onnx.unknown) -> !onnx.unknown
  onnx.yield %y : !onnx.unknown
}
func.func @main(%x: !ovseq.sequence<tensor<2xf32>>) -> !onnx.unknown {
  // expected-error@-9 {{input 'X' of Neg-13 is seq(tensor(float))}}
  %y = onnx.node "B" 1 in "e" (%x) : (!ovseq.sequence<tensor<2xf32>>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// -----

func.func @main(%x: tensor<2xf32>) -> !onnx.unknown {
  // expected-error@+1 {{'FLAOT' is not a type of an attribute}}
  %y = onnx.node "Elu" 6 (%x) {alpha = #onnx.reference<"a" "FLAOT">} : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}
