// A pass of another stage says that it cannot do with a program in FRONT, rather than find nothing to do there; those of any stage may run.
// RUN: loomir-opt %s --verify-diagnostics -p canonicalize,cse,ov-infer -o /dev/null
// RUN: not loomir-opt %s -p bufferize 2>&1 | filecheck %s --check-prefix=BUFFERIZE
// RUN: loomir-opt %s -p canonicalize,convert-onnx-to-ov,ov-infer | filecheck %s --check-prefix=GRAPH
// What says how an ONNX model is translated has no part in what is read as it is.
// RUN: not loomir-opt %s --semantics onnxruntime 2>&1 | filecheck %s --check-prefix=SEMANTICS
// RUN: not loomir-opt %S/../compiler/formats/onnx/front.onnxtxt --stage front --semantics onnxruntime 2>&1 | filecheck %s --check-prefix=SEMANTICS

// BUFFERIZE: onnx.node: bufferize takes programs of the graph and structured stage: this program is of the front stage [not-of-stage]
// BUFFERIZE-NEXT: run convert-onnx-to-ov before it
// GRAPH: ov.add
// SEMANTICS: --semantics needs an ONNX model that is imported to GRAPH [bad-option]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{onnx.node: ov-infer takes programs of the graph stage: this program is of the front stage [not-of-stage]}}
  %y = onnx.node "Add" 14 (%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
