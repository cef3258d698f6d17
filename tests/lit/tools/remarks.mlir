// RUN: loomir-opt --remarks %s -p ov-loop-unroll{max-trips=2} 2>&1 >/dev/null | filecheck %s --check-prefix=TEXT
// RUN: loomir-opt %s -p ov-loop-unroll{max-trips=2} --remarks=json 2>&1 >/dev/null | filecheck %s --check-prefix=JSON
// RUN: loomir-opt %s -p ov-loop-unroll{max-trips=2} --remarks=summary 2>&1 >/dev/null | filecheck %s --check-prefix=SUMMARY
// RUN: loomir inspect --remarks %s --pipeline ov-loop-unroll 2>&1 >/dev/null | filecheck %s --check-prefix=WHOLE
// RUN: not loomir-opt %s -p ov-loop-unroll --remarks=xml 2>&1 | filecheck %s --check-prefix=BAD

// TEXT: {{.*}}remarks.mlir:23:8: remark: ov-loop-unroll: left: ov.loop: its 3 trips are more than max-trips=2
// TEXT-NOT: remark

// JSON: {"kind": "left", "pass": "ov-loop-unroll", "operation": "ov.loop", "layer": null, "file": "{{.*}}remarks.mlir", "line": 23, "column": 8, "text": "its 3 trips are more than max-trips=2", "numbers": {{.*}}

// SUMMARY: ov-loop-unroll: 0 done, 1 left
// SUMMARY-NEXT: 1 left ov.loop: its 3 trips are more than max-trips=2

// WHOLE: ov-loop-unroll: 1 done, 0 left
// WHOLE-NEXT: 1 done ov.loop: unrolled its 3 trips

// BAD: error: --remarks='xml' [bad-option]
// BAD-NEXT: known: text, json, yaml, summary

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %w = ov.exp %v : (tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%w : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}
