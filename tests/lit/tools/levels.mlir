// RUN: loomir-opt %s -O0 --print-pipeline | filecheck %s --check-prefix=O0
// RUN: loomir-opt %s -Os --verify-stage loops -p cse --print-pipeline | filecheck %s --check-prefix=OS
// RUN: loomir inspect %s -O1 --print-pipeline --pipeline 'ov-loop-unroll{max-trips=3}' | filecheck %s --check-prefix=STEPS
// RUN: loomir inspect %s --print-pipeline --pipeline 'O1,ov-loop-unroll{max-trips=3}' | filecheck %s --check-prefix=STEPS
// RUN: loomir inspect %s -O1 --print-pipeline --integers | filecheck %s --check-prefix=INTEGERS
// RUN: loomir inspect %s -Os --print-pipeline --io uint8 | filecheck %s --check-prefix=IO
// RUN: loomir inspect %s -Os --print-pipeline --rounding tflite | filecheck %s --check-prefix=ROUNDING
// RUN: not loomir inspect %s --rounding down 2>&1 | filecheck %s --check-prefix=WORD
// RUN: loomir-opt %s -O2 | filecheck %s
// RUN: not loomir-opt %s -O3 2>&1 | filecheck %s --check-prefix=BAD
// RUN: not loomir-opt %s -O2 --verify-stage front 2>&1 | filecheck %s --check-prefix=FRONT

// O0: {{^}}ov-remove-unneeded,ov-infer{{$}}
// OS: ov-remove-unneeded,ov-narrow-weights{{.*}},ov-fold-constants{{.*}},ov-decompose{{.*}},convert-ov-to-linalg{{.*}},lower-linalg-to-loops{tile=false{{.*}}},mem2reg,int-range-optimizations,canonicalize,plan-memory{{.*}},cse{{$}}
// STEPS: graph: {{.*}}ov-loop-unroll{max-trips=3 {{.*}}
// STEPS-NEXT: core: {{.*}}ov-decompose
// STEPS-NEXT: structured: {{.*}}convert-ov-to-linalg
// STEPS-NEXT: loops: {{.*}}plan-memory
// INTEGERS: graph: ov-remove-unneeded,ov-infer,ov-to-integer{rounding="exact"},ov-fold-constants
// IO: graph: ov-remove-unneeded,ov-infer,ov-quantize-io{element="uint8"},ov-to-integer{{.*}},ov-narrow-weights{{.*}},ov-fold-constants
// ROUNDING: graph: ov-remove-unneeded,ov-infer,ov-to-integer{rounding="tflite"},ov-narrow-weights
// WORD: --rounding: invalid choice: 'down' (choose from {{'?}}exact{{'?}}, {{'?}}tflite{{'?}})
// BAD: error: level='O3': unknown level [bad-option]
// BAD-NEXT: known: O0, O1, O2, Os
// FRONT: [bad-option]

// CHECK-LABEL: func.func @main
// CHECK-NOT: ov.if
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %r = ov.if %t -> (tensor<2xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    %e = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %e : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}
