// The phases that a model goes through, on the text of a model in FRONT.
// RUN: loomir convert %s --print-pipeline | filecheck %s --check-prefix=PLAN
// RUN: loomir convert %s --print-pipeline --enable LstmSequenceToLoop --disable CleanUp --disable FuseSwish | filecheck %s --check-prefix=SWITCHED
// RUN: loomir convert %s | filecheck %s
// RUN: loomir convert %s --disable FlattenToReshape --disable FuseSwish | filecheck %s --check-prefix=FLATTEN
// RUN: loomir convert %s --static-shape | filecheck %s --check-prefix=STATIC
// RUN: loomir convert %s --stage loops | filecheck %s --check-prefix=LOOPS
// RUN: loomir convert %s --run graph --seed 3 | filecheck %s --check-prefix=RAN
// RUN: loomir convert %s --run native --seed 3 | filecheck %s --check-prefix=RAN
// RUN: loomir convert %s -o %t --name flat | filecheck %s --check-prefix=C
// RUN: not loomir convert %s --disable Frobnicate 2>&1 | filecheck %s --check-prefix=NO-ID
// RUN: not loomir convert %t.missing.onnx 2>&1 | filecheck %s --check-prefix=NO-FILE

// PLAN: front: FrontStart, FlattenToReshape (onnx-flatten-to-reshape{{.*}}), {{.*}}, FrontFinish
// PLAN: middle: MiddleStart, CleanUp (canonicalize,cse), {{.*}}FuseSwish (ov-fuse-swish), LoopToLstmSequence {{.*}}, MiddleFinish
// PLAN-NEXT: layout: LayoutStart, Layout (ov-layout{to="nchw"}), LayoutFinish
// PLAN-NEXT: back: BackStart, BackFinish
// SWITCHED: middle: MiddleStart, FuseBatchNorm (ov-fuse-batch-norm), LoopToLstmSequence {{.*}}, LstmSequenceToLoop {{.*}}, MiddleFinish

// What follows from shapes stays, so that the model can be reshaped.
// CHECK: ov.shape_of %x
// CHECK: ov.reshape
// CHECK: ov.swish

// FLATTEN-NOT: ov.shape_of
// FLATTEN: ov.sigmoid
// FLATTEN-NEXT: ov.multiply

// STATIC-NOT: ov.shape_of
// STATIC: ov.reshape %x
// STATIC: ov.swish

// LOOPS: scf.for
// RAN: y: float32[6, 20]
// C: flat.c, {{.*}}flat.h
// NO-ID: loomir: error: unknown transformation 'Frobnicate' [bad-option]
// NO-ID-NEXT: known: CleanUp, {{.*}}
// NO-FILE: loomir: error: {{.*}}missing.onnx: {{.*}} [file-unreadable]
builtin.module attributes {onnx.opset = 13 : i64} {
  func.func @main(%x: tensor<2x3x4x5xf32> {loomir.name = "x"}) -> (tensor<6x20xf32> {loomir.name = "y"}) {
    %f = onnx.node "Flatten" 13 (%x) {axis = 2 : i64} : (tensor<2x3x4x5xf32>) -> !onnx.unknown
    %s = onnx.node "Sigmoid" 13 (%f) : (!onnx.unknown) -> !onnx.unknown
    %y = onnx.node "Mul" 14 (%f, %s) : (!onnx.unknown, !onnx.unknown) -> tensor<6x20xf32>
    func.return %y : tensor<6x20xf32>
  }
}
