// RUN: loomir-opt %s -p onnx-flatten-to-reshape | filecheck %s
// RUN: loomir-opt %s -p 'onnx-flatten-to-reshape{assume-nonempty=true}' | filecheck %s --check-prefix=NONEMPTY
// RUN: loomir-opt %s -p onnx-flatten-to-reshape --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

builtin.module attributes {onnx.opset = 13 : i64} {

// What is in front of the first axis is 1, whatever the rest: nothing is asked.
// CHECK-LABEL: @axis_0(
func.func @axis_0(%x: !onnx.unknown) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<[1, -1]> : tensor<2xi64> named "Flatten:y/shape" : tensor<2xi64>
  // CHECK-NEXT: %y = onnx.node "Reshape" 13 (%x, %[[V0]]) : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %y = onnx.node "Flatten" 13 (%x) {axis = 0 : i64} : (!onnx.unknown) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// An axis that is left out is 1; the node keeps its names and type.
// CHECK-LABEL: @axis_1(
func.func @axis_1(%x: tensor<2x?x4xf32>) -> tensor<2x?xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<[0, -1]> : tensor<2xi64> named "flat/shape" : tensor<2xi64>
  // CHECK-NEXT: %y = onnx.node "Reshape" 13 named "flat" (%x, %[[V0]]) : (tensor<2x?x4xf32>, tensor<2xi64>) -> tensor<2x?xf32> names ["/y:0"]
  // CHECK-NEXT: func.return %y : tensor<2x?xf32>
  %y = onnx.node "Flatten" 13 named "flat" (%x) : (tensor<2x?x4xf32>) -> tensor<2x?xf32> names ["/y:0"]
  func.return %y : tensor<2x?xf32>
}

// CHECK-LABEL: @axis_2(
func.func @axis_2(%x: tensor<2x3x4x?xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.node "Shape" 13 named "flat/input_shape" (%x) : (tensor<2x3x4x?xf32>) -> !onnx.unknown
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<[0, 1]> : tensor<2xi64> named "flat/indices" : tensor<2xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = onnx.node "Gather" 13 named "flat/Gather" (%[[V0]], %[[V1]]) {axis = 0 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V3:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/first_dims" (%[[V2]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V4:[0-9]+]] = onnx.constant dense<-1> : tensor<1xi64> named "flat/second_dims" : tensor<1xi64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = onnx.node "Concat" 13 named "flat/shape" (%[[V3]], %[[V4]]) {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %y = onnx.node "Reshape" 13 named "flat" (%x, %[[V5]]) : (tensor<2x3x4x?xf32>, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %y = onnx.node "Flatten" 13 named "flat" (%x) {axis = 2 : i64} : (tensor<2x3x4x?xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// A negative axis counts from the end: the last extents are known, the first ones need not be.
// CHECK-LABEL: @axis_minus_2(
func.func @axis_minus_2(%x: tensor<?x3x4x5xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.node "Shape" 13 named "flat/input_shape" (%x) : (tensor<?x3x4x5xf32>) -> !onnx.unknown
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<[-2, -1]> : tensor<2xi64> named "flat/indices" : tensor<2xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = onnx.node "Gather" 13 named "flat/Gather" (%[[V0]], %[[V1]]) {axis = 0 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V3:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/first_dims" (%[[V2]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V4:[0-9]+]] = onnx.constant dense<-1> : tensor<1xi64> named "flat/second_dims" : tensor<1xi64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = onnx.node "Concat" 13 named "flat/shape" (%[[V4]], %[[V3]]) {axis = 0 : i64} : (tensor<1xi64>, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %y = onnx.node "Reshape" 13 named "flat" (%x, %[[V5]]) : (tensor<?x3x4x5xf32>, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %y = onnx.node "Flatten" 13 named "flat" (%x) {axis = -2 : i64} : (tensor<?x3x4x5xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// An open extent may be 0, and then nothing says what -1 is: both products are computed.
// NONEMPTY-LABEL: @open(
// NONEMPTY-NEXT: %[[T:.*]] = onnx.constant dense<[0, -1]> : tensor<2xi64> named "flat/shape" : tensor<2xi64>
// NONEMPTY-NEXT: %y = onnx.node "Reshape" 13 named "flat" (%x, %[[T]]) : (tensor<?x3xf32>, tensor<2xi64>) -> !onnx.unknown
// CHECK-LABEL: @open(
func.func @open(%x: tensor<?x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.node "Shape" 13 named "flat/input_shape" (%x) : (tensor<?x3xf32>) -> !onnx.unknown
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "flat/indices" : tensor<1xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = onnx.node "Gather" 13 named "flat/Gather" (%[[V0]], %[[V1]]) {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V3:[0-9]+]] = onnx.constant dense<1> : tensor<1xi64> named "flat/start" : tensor<1xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = onnx.constant dense<9223372036854775807> : tensor<1xi64> named "flat/end" : tensor<1xi64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "flat/axis" : tensor<1xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = onnx.node "Slice" 13 named "flat/Slice" (%[[V0]], %[[V3]], %[[V4]], %[[V5]]) : (!onnx.unknown, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V7:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/first_dims" (%[[V2]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V8:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/second_dims" (%[[V6]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V9:[0-9]+]] = onnx.node "Concat" 13 named "flat/shape" (%[[V7]], %[[V8]]) {axis = 0 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %y = onnx.node "Reshape" 14 named "flat" (%x, %[[V9]]) {allowzero = 1 : i64} : (tensor<?x3xf32>, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %y = onnx.node "Flatten" 13 named "flat" (%x) {axis = 1 : i64} : (tensor<?x3xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// So it is where an extent is 0, which Reshape would take for the one at its place (2).
// CHECK-LABEL: @empty(
func.func @empty(%x: tensor<2x0x3xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.node "Shape" 13 named "flat/input_shape" (%x) : (tensor<2x0x3xf32>) -> !onnx.unknown
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<[0, 1]> : tensor<2xi64> named "flat/indices" : tensor<2xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = onnx.node "Gather" 13 named "flat/Gather" (%[[V0]], %[[V1]]) {axis = 0 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V3:[0-9]+]] = onnx.constant dense<2> : tensor<1xi64> named "flat/start" : tensor<1xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = onnx.constant dense<9223372036854775807> : tensor<1xi64> named "flat/end" : tensor<1xi64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "flat/axis" : tensor<1xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = onnx.node "Slice" 13 named "flat/Slice" (%[[V0]], %[[V3]], %[[V4]], %[[V5]]) : (!onnx.unknown, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V7:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/first_dims" (%[[V2]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V8:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/second_dims" (%[[V6]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V9:[0-9]+]] = onnx.node "Concat" 13 named "flat/shape" (%[[V7]], %[[V8]]) {axis = 0 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %y = onnx.node "Reshape" 14 named "flat" (%x, %[[V9]]) {allowzero = 1 : i64} : (tensor<2x0x3xf32>, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %y = onnx.node "Flatten" 13 named "flat" (%x) {axis = 2 : i64} : (tensor<2x0x3xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// What a file declares of a value in between says nothing.
// NONEMPTY-LABEL: @declared(
// NONEMPTY: onnx.node "Gather" 13
// NONEMPTY: %[[P:.*]] = onnx.node "ReduceProd" 13
// NONEMPTY-NEXT: %[[R:.*]] = onnx.constant dense<-1>
// NONEMPTY-NEXT: %[[T:.*]] = onnx.node "Concat" 13 named "flat/shape" (%[[R]], %[[P]])
// NONEMPTY-NEXT: %y = onnx.node "Reshape" 13 named "flat" (%r, %[[T]])
// CHECK-LABEL: @declared(
func.func @declared(%x: !onnx.unknown) -> !onnx.unknown {
  // CHECK-NEXT: %r = onnx.node "Relu" 13 (%x) : (!onnx.unknown) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.node "Shape" 13 named "flat/input_shape" (%r) : (tensor<2x3x4xf32>) -> !onnx.unknown
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "flat/start" : tensor<1xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = onnx.constant dense<-1> : tensor<1xi64> named "flat/end" : tensor<1xi64>
  // CHECK-NEXT: %[[V3:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "flat/axis" : tensor<1xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = onnx.node "Slice" 13 named "flat/Slice" (%[[V0]], %[[V1]], %[[V2]], %[[V3]]) : (!onnx.unknown, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V5:[0-9]+]] = onnx.constant dense<-1> : tensor<1xi64> named "flat/indices" : tensor<1xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = onnx.node "Gather" 13 named "flat/Gather" (%[[V0]], %[[V5]]) {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V7:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/first_dims" (%[[V4]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V8:[0-9]+]] = onnx.node "ReduceProd" 13 named "flat/second_dims" (%[[V6]]) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V9:[0-9]+]] = onnx.node "Concat" 13 named "flat/shape" (%[[V7]], %[[V8]]) {axis = 0 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %y = onnx.node "Reshape" 14 named "flat" (%r, %[[V9]]) {allowzero = 1 : i64} : (tensor<2x3x4xf32>, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %r = onnx.node "Relu" 13 (%x) : (!onnx.unknown) -> tensor<2x3x4xf32>
  %y = onnx.node "Flatten" 13 named "flat" (%r) {axis = -1 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}

// In bodies of branches and loops, too.
// CHECK-LABEL: @bodies(
func.func @bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<2x3x4xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %none = onnx.none : none
  // CHECK-NEXT: %y = onnx.node "If" 13 named "if" (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.constant dense<[0, -1]> : tensor<2xi64> named "then/shape" : tensor<2xi64>
  // CHECK-NEXT: %t = onnx.node "Reshape" 13 named "then" (%x, %[[V0]]) : (tensor<2x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: onnx.yield %t : !onnx.unknown
  // CHECK-NEXT: } graph "else_branch" {
  // CHECK-NEXT: %e = onnx.node "Loop" 13 named "loop" (%n, %none, %x) : (tensor<i64>, none, tensor<2x3x4xf32>) -> !onnx.unknown graph "body" {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<2x3x4xf32>):
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<[1, -1]> : tensor<2xi64> named "else/shape" : tensor<2xi64>
  // CHECK-NEXT: %f = onnx.node "Reshape" 13 named "else" (%v, %[[V1]]) : (tensor<2x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: onnx.yield %go, %f : tensor<i1>, !onnx.unknown
  // CHECK-NEXT: }
  // CHECK-NEXT: onnx.yield %e : !onnx.unknown
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y : !onnx.unknown
  %none = onnx.none : none
  %y = onnx.node "If" 13 named "if" (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
    %t = onnx.node "Flatten" 13 named "then" (%x) : (tensor<2x3x4xf32>) -> !onnx.unknown
    onnx.yield %t : !onnx.unknown
  } graph "else_branch" {
    %e = onnx.node "Loop" 13 named "loop" (%n, %none, %x) : (tensor<i64>, none, tensor<2x3x4xf32>) -> !onnx.unknown graph "body" {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<2x3x4xf32>):
      %f = onnx.node "Flatten" 13 named "else" (%v) {axis = 0 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
      onnx.yield %go, %f : tensor<i1>, !onnx.unknown
    }
    onnx.yield %e : !onnx.unknown
  }
  func.return %y : !onnx.unknown
}

// Left alone: an axis that is no position of the input, another domain's Flatten.
// REMARK-DAG: onnx-flatten-to-reshape: left: onnx.node: its axis 4 is out of range for the input
// CHECK-LABEL: @near_misses(
func.func @near_misses(%x: tensor<2x3xf32>, %u: !onnx.unknown) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %a = onnx.node "Flatten" 13 (%x) {axis = 4 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  // CHECK-NEXT: %b = onnx.node "Flatten" 1 in "example" (%u) {axis = 0 : i64} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: func.return %a, %b : !onnx.unknown, !onnx.unknown
  %a = onnx.node "Flatten" 13 (%x) {axis = 4 : i64} : (tensor<2x3xf32>) -> !onnx.unknown
  %b = onnx.node "Flatten" 1 in "example" (%u) {axis = 0 : i64} : (!onnx.unknown) -> !onnx.unknown
  func.return %a, %b : !onnx.unknown, !onnx.unknown
}

// A function has an operator set of its own; an axis that its call gives is not known here.
// REMARK-DAG: onnx-flatten-to-reshape: left: onnx.node: its axis is not known
// CHECK-LABEL: onnx.function "Flat"
onnx.function "Flat" in "example" opset 21 parameters ["by"] {
  // CHECK-NEXT: ^bb0(%x: !onnx.unknown):
  // CHECK-NEXT: %[[V0:[0-9]+]] = onnx.node "Shape" 21 named "fixed/input_shape" (%x) : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %[[V1:[0-9]+]] = onnx.constant dense<[0, 1]> : tensor<2xi64> named "fixed/indices" : tensor<2xi64>
  // CHECK-NEXT: %[[V2:[0-9]+]] = onnx.node "Gather" 13 named "fixed/Gather" (%[[V0]], %[[V1]]) {axis = 0 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V3:[0-9]+]] = onnx.constant dense<2> : tensor<1xi64> named "fixed/start" : tensor<1xi64>
  // CHECK-NEXT: %[[V4:[0-9]+]] = onnx.constant dense<9223372036854775807> : tensor<1xi64> named "fixed/end" : tensor<1xi64>
  // CHECK-NEXT: %[[V5:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "fixed/axis" : tensor<1xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = onnx.node "Slice" 13 named "fixed/Slice" (%[[V0]], %[[V3]], %[[V4]], %[[V5]]) : (!onnx.unknown, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V7:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "fixed/first_dims/axes" : tensor<1xi64>
  // CHECK-NEXT: %[[V8:[0-9]+]] = onnx.node "ReduceProd" 18 named "fixed/first_dims" (%[[V2]], %[[V7]]) {keepdims = 1 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V9:[0-9]+]] = onnx.constant dense<0> : tensor<1xi64> named "fixed/second_dims/axes" : tensor<1xi64>
  // CHECK-NEXT: %[[V10:[0-9]+]] = onnx.node "ReduceProd" 18 named "fixed/second_dims" (%[[V6]], %[[V9]]) {keepdims = 1 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  // CHECK-NEXT: %[[V11:[0-9]+]] = onnx.node "Concat" 13 named "fixed/shape" (%[[V8]], %[[V10]]) {axis = 0 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %a = onnx.node "Reshape" 21 named "fixed" (%x, %[[V11]]) {allowzero = 1 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: %b = onnx.node "Flatten" 21 (%a) {axis = #onnx.reference<"by" "INT">} : (!onnx.unknown) -> !onnx.unknown
  // CHECK-NEXT: onnx.yield %b : !onnx.unknown
^bb0(%x: !onnx.unknown):
  %a = onnx.node "Flatten" 21 named "fixed" (%x) {axis = 2 : i64} : (!onnx.unknown) -> !onnx.unknown
  %b = onnx.node "Flatten" 21 (%a) {axis = #onnx.reference<"by" "INT">} : (!onnx.unknown) -> !onnx.unknown
  onnx.yield %b : !onnx.unknown
}
}
