// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @main() {
  // expected-error@+1 {{the graph 'body' does not end in onnx.yield}}
  onnx.node "Loop" 21 () : () -> () graph "body" {
    %none = onnx.none : none
  }
  func.return
}

// -----

func.func @main() {
  // expected-error@+1 {{2 names for 1 results}}
  %a = onnx.node "Loop" 21 () : () -> !onnx.unknown names ["a", "b"]
  func.return
}

// -----

func.func @main() {
  // expected-error@+1 {{0 names for 1 graphs}}
  "onnx.node"() <{operator = "Loop", version = 21 : i64}> ({
    "onnx.yield"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

func.func @main() {
  // expected-error@+1 {{value has type tensor<2xf32>, the result tensor<3xf32>}}
  %a = onnx.constant dense<1.0> : tensor<2xf32> : tensor<3xf32>
  func.return
}

// -----

func.func @main() {
  // expected-error@+1 {{value must be dense<…>, #ov.blob<…> or #ov.strings<…>}}
  %a = onnx.constant 1 : i64 : tensor<i64>
  func.return
}

// -----

// expected-error@+1 {{the function does not end in onnx.yield}}
onnx.function "F" {
  %none = onnx.none : none
}

// -----

func.func @main(%c: tensor<i1>) {
  onnx.node "If" 21 (%c) : (tensor<i1>) -> () graph "then_branch" {
    // expected-error@+1 {{2 declared types for 1 values}}
    onnx.yield %c : tensor<i1> declared [tensor<i1>, tensor<i1>]
  }
  func.return
}
