// RUN: loomir-opt %s -p convert-onnx-to-ov | filecheck %s

// Both branches read outer values; what they declare is not what counts.
// CHECK-LABEL: @if(
func.func @if(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.if %c -> (tensor<2xf32>) {
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: ov.yield %[[V1]] : tensor<2xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ov.yield %x : tensor<2xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %[[V0]] : tensor<2xf32>
  %y = onnx.node "If" 25 named "choice" (%c) : (tensor<i1>) -> tensor<2xf32> graph "then_branch" {
    %t = onnx.node "Relu" 14 (%x) : (tensor<2xf32>) -> !onnx.unknown
    onnx.yield %t : !onnx.unknown
  } graph "else_branch" {
    onnx.yield %x : tensor<2xf32> declared [tensor<*xf32>]
  }
  func.return %y : tensor<2xf32>
}

// Ranks that differ have none in common.
// CHECK-LABEL: @ranks(
func.func @ranks(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2x2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.if %c -> (tensor<*xf32>) {
  // CHECK-NEXT: ov.yield %x : tensor<2xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ov.yield %y : tensor<2x2xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %[[V0]] : tensor<*xf32>
  %r = onnx.node "If" 25 (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
    onnx.yield %x : tensor<2xf32>
  } graph "else_branch" {
    onnx.yield %y : tensor<2x2xf32>
  }
  func.return %r : !onnx.unknown
}

// A trip count may be negative in ONNX, which means none; the condition that the body gives ends nothing where none is given.
// CHECK-LABEL: @for(
func.func @for(%n: tensor<i64>, %x: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ov.maximum %n, %[[V0]] : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // CHECK-NEXT: %[[V2:[0-9]+]], %[[V3:[0-9]+]] = ov.loop trip(%[[V1]]) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  // CHECK-NEXT: ^bb0(%[[V4:[0-9]+]]: tensor<i64>, %[[V5:[0-9]+]]: tensor<2xf32>):
  // CHECK-NEXT: %[[V6:[0-9]+]] = ov.add %[[V5]], %[[V5]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %[[V7:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V8:[0-9]+]] = ov.unsqueeze %[[V5]], %[[V7]] : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  // CHECK-NEXT: ov.next carried(%[[V6]] : tensor<2xf32>) concat(%[[V8]] : tensor<1x2xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %[[V2]], %[[V3]] : tensor<2xf32>, tensor<?x2xf32>
  %none = onnx.none : none
  %y, %all = onnx.node "Loop" 25 (%n, %none, %x) : (tensor<i64>, none, tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown) graph "body" {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<2xf32>):
    %d = onnx.node "Add" 14 (%v, %v) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
    onnx.yield %go, %d, %v : tensor<i1>, !onnx.unknown, tensor<2xf32>
  }
  func.return %y, %all : !onnx.unknown, !onnx.unknown
}

// The carried value grows: its type is the join of all that it is.
// CHECK-LABEL: @while(
func.func @while(%c: tensor<i1>, %x: tensor<2xf32>) -> !onnx.unknown {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: ^bb0(%[[V1:[0-9]+]]: tensor<i64>, %[[V2:[0-9]+]]: tensor<?xf32>):
  // CHECK-NEXT: %[[V3:[0-9]+]] = ov.constant dense<true> : tensor<i1> : tensor<i1>
  // CHECK-NEXT: %[[V4:[0-9]+]] = ov.concat %[[V2]], %x {axis = 0 : i64} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  // CHECK-NEXT: %[[V5:[0-9]+]] = ov.shape_of %[[V4]] : (tensor<?xf32>) -> tensor<1xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V7:[0-9]+]] = ov.reduce_prod %[[V5]], %[[V6]] : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  // CHECK-NEXT: %[[V8:[0-9]+]] = ov.constant dense<9> : tensor<i64> : tensor<i64>
  // CHECK-NEXT: %[[V9:[0-9]+]] = ov.less %[[V7]], %[[V8]] : (tensor<i64>, tensor<i64>) -> tensor<i1>
  // CHECK-NEXT: ov.next while(%[[V9]]) carried(%[[V4]] : tensor<?xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %[[V0]] : tensor<?xf32>
  %none = onnx.none : none
  %y = onnx.node "Loop" 25 (%none, %c, %x) : (none, tensor<i1>, tensor<2xf32>) -> !onnx.unknown graph "body" {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<*xf32>):
    %d = onnx.node "Concat" 13 (%v, %x) {axis = 0 : i64} : (tensor<*xf32>, tensor<2xf32>) -> !onnx.unknown
    %s = onnx.node "Size" 25 (%d) : (!onnx.unknown) -> !onnx.unknown
    %m = onnx.constant dense<9> : tensor<i64> : tensor<i64>
    %l = onnx.node "Less" 13 (%s, %m) : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
    onnx.yield %l, %d : !onnx.unknown, !onnx.unknown
  }
  func.return %y : !onnx.unknown
}

// CHECK-LABEL: @scan(
func.func @scan(%s: tensor<2xf32>, %xs: tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %[[V0:[0-9]+]], %[[V1:[0-9]+]] = ov.loop carried(%s) sliced(%xs) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  // CHECK-NEXT: ^bb0(%[[V2:[0-9]+]]: tensor<i64>, %[[V3:[0-9]+]]: tensor<2xf32>, %[[V4:[0-9]+]]: tensor<1x2xf32>):
  // CHECK-NEXT: %[[V5:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V6:[0-9]+]] = ov.squeeze %[[V4]], %[[V5]] : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
  // CHECK-NEXT: %[[V7:[0-9]+]] = ov.add %[[V3]], %[[V6]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %[[V8:[0-9]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[V9:[0-9]+]] = ov.unsqueeze %[[V7]], %[[V8]] : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  // CHECK-NEXT: ov.next carried(%[[V7]] : tensor<2xf32>) concat(%[[V9]] : tensor<1x2xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %[[V0]], %[[V1]] : tensor<2xf32>, tensor<?x2xf32>
  %y, %all = onnx.node "Scan" 25 (%s, %xs) {num_scan_inputs = 1 : i64, scan_input_directions = array<i64: 1>} : (tensor<2xf32>, tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown) graph "body" {
  ^bb0(%v: tensor<2xf32>, %p: tensor<2xf32>):
    %d = onnx.node "Add" 14 (%v, %p) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
    onnx.yield %d, %d : !onnx.unknown, !onnx.unknown
  }
  func.return %y, %all : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @sequences(
func.func @sequences(%x: tensor<2xf32>, %y: tensor<3xf32>, %k: tensor<i64>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ovseq.construct %x, %y : (tensor<2xf32>, tensor<3xf32>) -> !ovseq.sequence<tensor<?xf32>>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ovseq.insert %[[V0]], %x : (!ovseq.sequence<tensor<?xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<?xf32>>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ovseq.at %[[V1]], %k : (!ovseq.sequence<tensor<?xf32>>, tensor<i64>) -> tensor<?xf32>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ovseq.concat %[[V1]] {axis = 0 : i64, new_axis = false} : (!ovseq.sequence<tensor<?xf32>>) -> tensor<?xf32>
  // CHECK-NEXT: func.return %[[V2]], %[[V3]] : tensor<?xf32>, tensor<?xf32>
  %none = onnx.none : none
  %s = onnx.node "SequenceConstruct" 11 (%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> !onnx.unknown
  %t = onnx.node "SequenceInsert" 11 (%s, %x) : (!onnx.unknown, tensor<2xf32>) -> !onnx.unknown
  %a = onnx.node "SequenceAt" 11 (%t, %k) : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  %c = onnx.node "ConcatFromSequence" 11 (%t) {axis = 0 : i64} : (!onnx.unknown) -> !onnx.unknown
  func.return %a, %c : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @optional(
func.func @optional(%x: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // CHECK-NEXT: %[[V0:[0-9]+]] = ovseq.none {value_type = tensor<*xf32>} : !ovseq.optional<tensor<*xf32>>
  // CHECK-NEXT: %[[V1:[0-9]+]] = ovseq.has %[[V0]] : (!ovseq.optional<tensor<*xf32>>) -> tensor<i1>
  // CHECK-NEXT: %[[V2:[0-9]+]] = ovseq.some %x : (tensor<2xf32>) -> !ovseq.optional<tensor<2xf32>>
  // CHECK-NEXT: %[[V3:[0-9]+]] = ovseq.get %[[V2]] : (!ovseq.optional<tensor<2xf32>>) -> tensor<2xf32>
  // CHECK-NEXT: func.return %[[V1]], %[[V3]] : tensor<i1>, tensor<2xf32>
  %o = onnx.node "Optional" 15 () {type = tensor<2xf32>} : () -> !onnx.unknown
  %h = onnx.node "OptionalHasElement" 18 (%o) : (!onnx.unknown) -> !onnx.unknown
  %p = onnx.node "Optional" 15 (%x) : (tensor<2xf32>) -> !onnx.unknown
  %e = onnx.node "OptionalGetElement" 18 (%p) : (!onnx.unknown) -> !onnx.unknown
  func.return %h, %e : !onnx.unknown, !onnx.unknown
}

// A body that is illegal for these shapes fails when it runs; that it never does is known here.
// CHECK-LABEL: @never(
func.func @never(%x: tensor<3xf32>) -> !onnx.unknown {
  // CHECK: ov.loop trip(%{{[0-9]+}}) carried(%x)
  // CHECK: %{{[0-9]+}}, %[[V0:[0-9]+]] = ov.fail "'Squeeze:d' (Squeeze): dimension 0 has extent 3, not 1"
  // CHECK-NEXT: ov.next carried(%[[V0]] : tensor<3xf32>)
  %n = onnx.constant dense<0> : tensor<i64> : tensor<i64>
  %none = onnx.none : none
  %y = onnx.node "Loop" 25 (%n, %none, %x) : (tensor<i64>, none, tensor<3xf32>) -> !onnx.unknown graph "body" {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<3xf32>):
    %axes = onnx.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %d = onnx.node "Squeeze" 13 (%v, %axes) : (tensor<3xf32>, tensor<1xi64>) -> !onnx.unknown
    onnx.yield %go, %d : tensor<i1>, !onnx.unknown
  }
  func.return %y : !onnx.unknown
}
