// RUN: loomir-opt %s -p onnx-remove-identity --split-input-file | filecheck %s
// RUN: loomir-opt %s -p onnx-remove-identity --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: @chain(
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %y = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %y : tensor<2xf32>
  %a = onnx.node "Identity" 13 (%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = onnx.node "Dropout" 13 (%a) : (tensor<2xf32>) -> tensor<2xf32>
  %c = onnx.node "Cast" 13 (%b) {to = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %y = onnx.node "Relu" 13 (%c) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// What the model declares of its result stays, and how it is called is said at the function.
// CHECK-LABEL: @main(
func.func @main(%x: tensor<2xf32> {loomir.name = "x"}) -> (tensor<2xf32> {loomir.name = "y"}, tensor<2xf32> {loomir.name = "z"}) {
  // CHECK-NEXT: %a = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %a, %x : tensor<2xf32>, tensor<2xf32>
  %a = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  %y = onnx.node "Identity" 13 (%a) : (!onnx.unknown) -> tensor<2xf32>
  %z = onnx.node "Identity" 13 (%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// REMARK-DAG: onnx-remove-identity: left: onnx.node: the model declares another type of its result
// CHECK-LABEL: @another_type(
func.func @another_type(%x: tensor<?xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %y = onnx.node "Identity" 13 (%x) : (tensor<?xf32>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %y : tensor<2xf32>
  %y = onnx.node "Identity" 13 (%x) : (tensor<?xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// Sequences and optionals, too.
// CHECK-LABEL: @sequence(
func.func @sequence(%x: !ovseq.sequence<tensor<2xf32>>) -> !onnx.unknown {
  // CHECK-NEXT: %y = onnx.node "SequenceLength" 11 (%x) : (!ovseq.sequence<tensor<2xf32>>) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %a = onnx.node "Identity" 16 (%x) : (!ovseq.sequence<tensor<2xf32>>) -> !onnx.unknown
  %y = onnx.node "SequenceLength" 11 (%a) : (!onnx.unknown) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// At inference: an attribute says so, it has no other mode, it is asked for nothing, or for false.
// CHECK-LABEL: @dropout(
func.func @dropout(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %none = onnx.none : none
  // CHECK-NEXT: %r = onnx.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %no = onnx.constant dense<false> : tensor<i1> : tensor<i1>
  // CHECK-NEXT: %y = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %none = onnx.none : none
  %r = onnx.constant dense<0.5> : tensor<f32> : tensor<f32>
  %no = onnx.constant dense<false> : tensor<i1> : tensor<i1>
  %a = onnx.node "Dropout" 6 (%x) {is_test = 1 : i64} : (tensor<2xf32>) -> !onnx.unknown
  %b, %m = onnx.node "Dropout" 10 (%a) : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
  %c = onnx.node "Dropout" 13 (%b, %r, %none) : (!onnx.unknown, tensor<f32>, none) -> !onnx.unknown
  %d, %n = onnx.node "Dropout" 13 (%c, %none, %no) : (!onnx.unknown, none, tensor<i1>) -> (!onnx.unknown, none)
  %y = onnx.node "Relu" 13 (%d) : (!onnx.unknown) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// Before version 7 training is what is meant where nothing is said.
// REMARK-DAG: onnx-remove-identity: left: onnx.node: its mask is used
// REMARK-COUNT-3: onnx-remove-identity: left: onnx.node: it may be training
// CHECK-LABEL: @dropout_stays(
func.func @dropout_stays(%x: tensor<2xf32>, %t: tensor<i1>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %none = onnx.none : none
  // CHECK-NEXT: %yes = onnx.constant dense<true> : tensor<i1> : tensor<i1>
  // CHECK-NEXT: %a, %m = onnx.node "Dropout" 13 (%x) : (tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
  // CHECK-NEXT: %b = onnx.node "Dropout" 6 (%x) : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: %c = onnx.node "Dropout" 13 (%x, %none, %t) : (tensor<2xf32>, none, tensor<i1>) -> !onnx.unknown
  // CHECK-NEXT: %d = onnx.node "Dropout" 13 (%x, %none, %yes) : (tensor<2xf32>, none, tensor<i1>) -> !onnx.unknown
  // CHECK-NEXT: func.return %a, %m, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
  %none = onnx.none : none
  %yes = onnx.constant dense<true> : tensor<i1> : tensor<i1>
  %a, %m = onnx.node "Dropout" 13 (%x) : (tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
  %b = onnx.node "Dropout" 6 (%x) : (tensor<2xf32>) -> !onnx.unknown
  %c = onnx.node "Dropout" 13 (%x, %none, %t) : (tensor<2xf32>, none, tensor<i1>) -> !onnx.unknown
  %d = onnx.node "Dropout" 13 (%x, %none, %yes) : (tensor<2xf32>, none, tensor<i1>) -> !onnx.unknown
  func.return %a, %m, %b, %c, %d : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// The types of these follow from the operators: a result of its input's type, one that is always i64, one that another Cast made.
// CHECK-LABEL: @cast(
func.func @cast(%x: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %a = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: %c = onnx.node "Neg" 13 (%a) : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %s = onnx.node "Shape" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: %u = onnx.node "Neg" 13 (%s) : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %h = onnx.node "Cast" 13 (%x) {to = 10 : i64} : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: %k = onnx.node "Neg" 13 (%h) : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %c, %u, %k : !onnx.unknown, !onnx.unknown, !onnx.unknown
  %a = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  %b = onnx.node "Cast" 13 (%a) {to = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  %c = onnx.node "Neg" 13 (%b) : (!onnx.unknown) -> !onnx.unknown
  %s = onnx.node "Shape" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  %t = onnx.node "Cast" 13 (%s) {to = 7 : i64} : (!onnx.unknown) -> !onnx.unknown
  %u = onnx.node "Neg" 13 (%t) : (!onnx.unknown) -> !onnx.unknown
  %h = onnx.node "Cast" 13 (%x) {to = 10 : i64} : (tensor<2xf32>) -> !onnx.unknown
  %i = onnx.node "Cast" 13 (%h) {to = 10 : i64} : (!onnx.unknown) -> !onnx.unknown
  %j = onnx.node "Cast" 1 (%i) {to = "float16"} : (!onnx.unknown) -> !onnx.unknown
  %k = onnx.node "Neg" 13 (%j) : (!onnx.unknown) -> !onnx.unknown
  func.return %c, %u, %k : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Left alone: another type, one that only the file says (it may be wrong), one of an operator that nobody knows.
// REMARK-DAG: onnx-remove-identity: left: onnx.node: the type of its input is only declared
// CHECK-LABEL: @cast_stays(
func.func @cast_stays(%x: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %a = onnx.node "Cast" 13 (%x) {to = 11 : i64} : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: %u = onnx.node "Unheard" 1 in "example" (%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %b = onnx.node "Cast" 13 (%u) {to = 1 : i64} : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: %e = onnx.node "Equal" 13 (%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %c = onnx.node "Cast" 13 (%e) {to = 1 : i64} : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: func.return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
  %a = onnx.node "Cast" 13 (%x) {to = 11 : i64} : (tensor<2xf32>) -> !onnx.unknown
  %u = onnx.node "Unheard" 1 in "example" (%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = onnx.node "Cast" 13 (%u) {to = 1 : i64} : (tensor<2xf32>) -> !onnx.unknown
  %e = onnx.node "Equal" 13 (%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = onnx.node "Cast" 13 (%e) {to = 1 : i64} : (tensor<2xf32>) -> !onnx.unknown
  func.return %a, %b, %c : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// What a body declares of its results stays.
// CHECK-LABEL: @bodies(
func.func @bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %none = onnx.none : none
  // CHECK-NEXT: %y = onnx.node "If" 13 (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
  // CHECK-NEXT: onnx.yield %x : tensor<2xf32> declared [tensor<?xf32>]
  // CHECK-NEXT: } graph "else_branch" {
  // CHECK-NEXT: %e = onnx.node "Loop" 13 (%n, %none, %x) : (tensor<i64>, none, tensor<2xf32>) -> !onnx.unknown graph "body" {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<2xf32>):
  // CHECK-NEXT: %w = onnx.node "Add" 13 (%v, %x) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: onnx.yield %go, %w : tensor<i1>, !onnx.unknown declared [tensor<i1>, tensor<2xf32>]
  // CHECK-NEXT: }
  // CHECK-NEXT: onnx.yield %e : !onnx.unknown
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %none = onnx.none : none
  %y = onnx.node "If" 13 (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
    %t = onnx.node "Identity" 13 (%x) : (tensor<2xf32>) -> tensor<?xf32>
    onnx.yield %t : tensor<?xf32>
  } graph "else_branch" {
    %e = onnx.node "Loop" 13 (%n, %none, %x) : (tensor<i64>, none, tensor<2xf32>) -> !onnx.unknown graph "body" {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<2xf32>):
      %g = onnx.node "Identity" 13 (%go) : (tensor<i1>) -> tensor<i1>
      %w = onnx.node "Add" 13 (%v, %x) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
      %u = onnx.node "Dropout" 13 (%w) : (!onnx.unknown) -> tensor<2xf32>
      onnx.yield %g, %u : tensor<i1>, tensor<2xf32>
    }
    onnx.yield %e : !onnx.unknown
  }
  func.return %y : !onnx.unknown
}

// REMARK-DAG: onnx-remove-identity: left: onnx.node: the call of the function may omit its input
// CHECK-LABEL: onnx.function "Some"
onnx.function "Some" in "example" opset 21 {
  // CHECK-NEXT: ^bb0(%x: !onnx.unknown):
  // CHECK-NEXT: %a = onnx.node "Identity" 21 (%x) : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: onnx.yield %a : !onnx.unknown
^bb0(%x: !onnx.unknown):
  %a = onnx.node "Identity" 21 (%x) : (!onnx.unknown) -> !onnx.unknown
  %b = onnx.node "Identity" 21 (%a) : (!onnx.unknown) -> !onnx.unknown
  onnx.yield %b : !onnx.unknown
}

// -----

// The model's own function of this name is what the node calls.
// CHECK-LABEL: @own_function(
func.func @own_function(%x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %y = onnx.node "Identity" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %y = onnx.node "Identity" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: onnx.function "Identity"
onnx.function "Identity" {
  // CHECK-NEXT: ^bb0(%x: !onnx.unknown):
  // CHECK-NEXT: %y = onnx.node "Neg" 13 (%x) : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: onnx.yield %y : !onnx.unknown
^bb0(%x: !onnx.unknown):
  %y = onnx.node "Neg" 13 (%x) : (!onnx.unknown) -> !onnx.unknown
  onnx.yield %y : !onnx.unknown
}
