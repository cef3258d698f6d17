// RUN: loomir-opt %s -p onnx-topk-attribute-to-input --split-input-file | filecheck %s
// RUN: loomir-opt %s -p onnx-topk-attribute-to-input --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

builtin.module attributes {onnx.opset = 9 : i64} {

// The model's operator set has only TopK-1: the node is of version 10 all the same. Names, types and the axis stay.
// CHECK-LABEL: @older_set(
func.func @older_set(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<3> : tensor<1xi64> named "top/Dims" : tensor<1xi64>
  // CHECK-NEXT: %v, %i = onnx.node "TopK" 10 named "top" (%x, %[[V0]]) {axis = 1 : i64} : (tensor<2x9xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>) names ["/v", "/i"]
  // CHECK-NEXT: func.return %v, %i : tensor<2x3xf32>, tensor<2x3xi64>
  %v, %i = onnx.node "TopK" 1 named "top" (%x) {k = 3 : i64, axis = 1 : i64} : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) names ["/v", "/i"]
  func.return %v, %i : tensor<2x3xf32>, tensor<2x3xi64>
}

// A result that the file does not want.
// CHECK-LABEL: @unwanted(
func.func @unwanted(%x: tensor<2x9xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<1> : tensor<1xi64> named "TopK:v/Dims" : tensor<1xi64>
  // CHECK-NEXT: %v, %i = onnx.node "TopK" 10 (%x, %[[V0]]) : (tensor<2x9xf32>, tensor<1xi64>) -> (!onnx.unknown, none)
  // CHECK-NEXT: func.return %v : !onnx.unknown
  %v, %i = onnx.node "TopK" 1 (%x) {k = 1 : i64} : (tensor<2x9xf32>) -> (!onnx.unknown, none)
  func.return %v : !onnx.unknown
}

// CHECK-LABEL: @bodies(
func.func @bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<9xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %none = onnx.none : none
  // CHECK-NEXT: %y = onnx.node "If" 1 named "if" (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<2> : tensor<1xi64> named "then/Dims" : tensor<1xi64>
  // CHECK-NEXT: %tv, %ti = onnx.node "TopK" 10 named "then" (%x, %[[V0]]) : (tensor<9xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: onnx.yield %tv : !onnx.unknown
  // CHECK-NEXT: } graph "else_branch" {
  // CHECK-NEXT: %e = onnx.node "Loop" 1 named "loop" (%n, %none, %x) : (tensor<i64>, none, tensor<9xf32>) -> !onnx.unknown graph "body" {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<9xf32>):
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<9> : tensor<1xi64> named "else/Dims" : tensor<1xi64>
  // CHECK-NEXT: %ev, %ei = onnx.node "TopK" 10 named "else" (%v, %[[V1]]) : (tensor<9xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: onnx.yield %go, %ev : tensor<i1>, !onnx.unknown
  // CHECK-NEXT: }
  // CHECK-NEXT: onnx.yield %e : !onnx.unknown
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %none = onnx.none : none
  %y = onnx.node "If" 1 named "if" (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
    %tv, %ti = onnx.node "TopK" 1 named "then" (%x) {k = 2 : i64} : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %tv : !onnx.unknown
  } graph "else_branch" {
    %e = onnx.node "Loop" 1 named "loop" (%n, %none, %x) : (tensor<i64>, none, tensor<9xf32>) -> !onnx.unknown graph "body" {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<9xf32>):
      %ev, %ei = onnx.node "TopK" 1 named "else" (%v) {k = 9 : i64} : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
      onnx.yield %go, %ev : tensor<i1>, !onnx.unknown
    }
    onnx.yield %e : !onnx.unknown
  }
  func.return %y : !onnx.unknown
}

// Left alone: newer ones, those of other domains, one without k, and one whose k the call of the function gives.
// REMARK: onnx-topk-attribute-to-input: left: onnx.node: its k is not known
// CHECK-LABEL: @near_misses(
func.func @near_misses(%x: tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %k = onnx.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %a, %ai = onnx.node "TopK" 10 (%x, %k) : (tensor<9xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: %b, %bi = onnx.node "TopK" 1 in "example" (%x) {k = 2 : i64} : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: %c, %ci = onnx.node "TopK" 1 (%x) : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: func.return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
  %k = onnx.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  %a, %ai = onnx.node "TopK" 10 (%x, %k) : (tensor<9xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  %b, %bi = onnx.node "TopK" 1 in "example" (%x) {k = 2 : i64} : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
  %c, %ci = onnx.node "TopK" 1 (%x) : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
  func.return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// REMARK: onnx-topk-attribute-to-input: left: onnx.node: its k is not known
// CHECK-LABEL: onnx.function "Top"
onnx.function "Top" in "example" opset 8 parameters ["k"] {
  // CHECK-NEXT: ^bb0(%x: !onnx.unknown):
  // CHECK-NEXT: %v, %i = onnx.node "TopK" 1 (%x) {k = #onnx.reference<"k" "INT">} : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<1> : tensor<1xi64> named "TopK:w/Dims" : tensor<1xi64>
  // CHECK-NEXT: %w, %j = onnx.node "TopK" 10 (%v, %[[V0]]) : (!onnx.unknown, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: onnx.yield %w, %j : !onnx.unknown, !onnx.unknown
^bb0(%x: !onnx.unknown):
  %v, %i = onnx.node "TopK" 1 (%x) {k = #onnx.reference<"k" "INT">} : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
  %w, %j = onnx.node "TopK" 1 (%v) {k = 1 : i64} : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
  onnx.yield %w, %j : !onnx.unknown, !onnx.unknown
}
}

// -----

// A set that has more says which version it is.
builtin.module attributes {onnx.opset = 21 : i64} {

// CHECK-LABEL: @newer_set(
func.func @newer_set(%x: tensor<9xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<2> : tensor<1xi64> named "TopK:v/Dims" : tensor<1xi64>
  // CHECK-NEXT: %v, %i = onnx.node "TopK" 11 (%x, %[[V0]]) : (tensor<9xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: func.return %v : !onnx.unknown
  %v, %i = onnx.node "TopK" 1 (%x) {k = 2 : i64} : (tensor<9xf32>) -> (!onnx.unknown, !onnx.unknown)
  func.return %v : !onnx.unknown
}
}

// -----

// The model's own function of this name is what the node calls.
// CHECK-LABEL: @own_function(
func.func @own_function(%x: tensor<9xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %v = onnx.node "TopK" 1 (%x) {k = 2 : i64} : (tensor<9xf32>) -> !onnx.unknown
  // CHECK-NEXT: func.return %v : !onnx.unknown
  %v = onnx.node "TopK" 1 (%x) {k = 2 : i64} : (tensor<9xf32>) -> !onnx.unknown
  func.return %v : !onnx.unknown
}

// CHECK-LABEL: onnx.function "TopK"
onnx.function "TopK" parameters ["k"] {
  // CHECK-NEXT: ^bb0(%x: !onnx.unknown):
  // CHECK-NEXT: onnx.yield %x : !onnx.unknown
^bb0(%x: !onnx.unknown):
  onnx.yield %x : !onnx.unknown
}
