// Every pass of compiler/pipeline.py on a model with padded convolutions, verified between the passes.
// RUN: loomir-opt %S/../../../examples/kws.xml --shape input_1=1,49,10,1 --verify-stage loops -p "ov-infer,ov-fold-constants,canonicalize,cse,ov-fold-constants,canonicalize,ov-decompose,ov-fold-constants,canonicalize,cse,ov-bound-shapes,convert-ov-loop-to-scf,convert-ov-to-linalg,cse,linalg-fuse-elementwise,linalg-update-in-place,bufferize,linalg-pack-weights,lower-linalg-to-loops,plan-memory" | filecheck %s

// CHECK: func.func @main(
// CHECK-NOT: unrealized_conversion_cast
// CHECK: func.return
