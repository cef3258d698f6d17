// A pass on functions runs on each of them alone.
// RUN: loomir-opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize),ov-infer)' | filecheck %s
// RUN: loomir-opt %s --pass-pipeline='builtin.module( func.func(cse, canonicalize) , ov-infer )' --print-pipeline | filecheck %s --check-prefix=TEXT
// RUN: loomir-opt %s -p @%S/pipeline.txt | filecheck %s
// RUN: loomir-opt %s -p @%S/pipeline.txt --print-pipeline | filecheck %s --check-prefix=TEXT
// A pass as a flag, among others, in their order.
// RUN: loomir-opt %s --cse -p canonicalize --ov-loop-unroll=max-trips=3 --verify-stage graph -ov-infer --ov-loop-peel='all=true ranks=false' --print-pipeline | filecheck %s --check-prefix=FLAGS
// RUN: loomir-opt %s --cse --check-each-pass --canonicalize | filecheck %s
// A level in the middle, and parts of it.
// RUN: loomir-opt %s -p cse,O2,dce --print-pipeline | filecheck %s --check-prefix=LEVEL
// RUN: loomir-opt %s -p 'O2{before=ov-loop-merge-values},dce,O2{from=ov-loop-merge-values before=ov-loop-peel}' --print-pipeline | filecheck %s --check-prefix=PARTS
// RUN: loomir-opt %s -p 'O2{before=bufferize},dce,O2{from=memref-order-dimensions to=loops}' --print-pipeline | filecheck %s --check-prefix=LOWER
// RUN: loomir inspect %s -O0 --print-pipeline --pipeline 'func.func(cse),O1{before=cse}' | filecheck %s --check-prefix=STEPS

// TEXT: {{^}}func.func(cse),func.func(canonicalize),ov-infer{{$}}
// FLAGS: {{^}}cse,canonicalize,ov-loop-unroll{max-trips=3 {{[^}]*}}},ov-infer,ov-loop-peel{all=true ranks=false {{[^}]*}}}{{$}}
// LEVEL: {{^}}cse,ov-remove-unneeded,{{.*}},ov-if-to-select{{[^,]*}},dce{{$}}
// PARTS: {{^}}ov-remove-unneeded,ov-fold-constants{{[^,]*}},canonicalize,cse,ov-uplift-while-to-for,dce,ov-loop-merge-values{{[^,]*}},ov-loop-forward-rows{{[^,]*}},ov-loop-join-parts,ov-loop-last-trip,ov-loop-closed-forms{{[^,]*}},ov-loop-fuse{{[^,]*}},ov-loop-unswitch{{[^,]*}},ov-fold-ranges{{$}}
// LOWER: {{^}}ov-remove-unneeded,{{.*}},linalg-update-in-place,dce,memref-order-dimensions{{.*}},plan-memory{{[^,]*$}}
// STEPS: {{^}}graph: ov-remove-unneeded,ov-infer,func.func(cse),ov-remove-unneeded,ov-fold-constants{{[^,]*}},canonicalize{{$}}

// CHECK: func.func private @elsewhere
// CHECK-LABEL: func.func @one
// CHECK-NEXT: ov.tanh
// CHECK-NEXT: func.return
// CHECK-LABEL: func.func @main
// CHECK-NEXT: ov.exp
// CHECK-NEXT: func.return
func.func private @elsewhere(tensor<2xf32>)
func.func @one(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unused = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %y = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unused = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %y = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
