// RUN: loomir-opt %s -p ov-infer,canonicalize,cse --print-ir-after-change 2>&1 >/dev/null | filecheck %s --check-prefix=CHANGE
// RUN: loomir-opt %s -p canonicalize,cse --print-ir-after-all --print-ir-function other 2>&1 >/dev/null | filecheck %s --check-prefix=FUNCTION
// RUN: loomir-opt %s -p canonicalize,cse --print-ir-after-change --print-ir-function other 2>&1 | filecheck %s --check-prefix=SAME
// RUN: loomir-opt %s -p canonicalize,cse --print-ir-diff 2>&1 >/dev/null | filecheck %s --check-prefix=DIFF
// RUN: loomir-opt %s -p canonicalize,cse,canonicalize --timing 2>&1 >/dev/null | filecheck %s --check-prefix=TIMING
// RUN: loomir inspect %S/remarks.mlir --timing 2>&1 | filecheck %s --check-prefix=INSPECT
// RUN: loomir-opt %s -p ov-infer,canonicalize,cse --pass-statistics 2>&1 >/dev/null | filecheck %s --check-prefix=STATISTICS
// RUN: loomir-opt %s -p canonicalize,cse --opt-bisect-limit 1 2>&1 >/dev/null | filecheck %s --check-prefix=LIMIT
// RUN: loomir compile %S/remarks.mlir -o %t.build --opt-bisect-limit 0 2>&1 | filecheck %s --check-prefix=NONE
// RUN: loomir-opt %s -p canonicalize --debug-counter canonicalize/DoubleNegation=1 | filecheck %s --check-prefix=ONE
// RUN: loomir-opt %s -p canonicalize --debug-counter 'Double*=0' | filecheck %s --check-prefix=ZERO
// RUN: loomir-opt %s -p canonicalize,canonicalize --debug-counter canonicalize=0 | filecheck %s --check-prefix=ZERO
// RUN: loomir-opt %s -p canonicalize --debug-counter no-such=1 2>&1 >/dev/null | filecheck %s --check-prefix=NO-COUNTER
// RUN: not loomir-opt %s --debug-counter canonicalize=-1 2>&1 | filecheck %s --check-prefix=BAD-COUNTER
// RUN: loomir-opt %s -p canonicalize --trace-patterns 2>&1 >/dev/null | filecheck %s --check-prefix=TRACE
// RUN: loomir-opt %s -p canonicalize --trace-patterns=cse/ 2>&1 >/dev/null | filecheck %s --check-prefix=NO-TRACE --allow-empty
// RUN: not loomir-opt %s --trace-patterns '(' 2>&1 | filecheck %s --check-prefix=BAD-REGEX

// CHANGE: // -----// IR Dump After canonicalize //----- //
// CHANGE-NOT: // -----//

// FUNCTION: // -----// IR Dump After canonicalize //----- //
// FUNCTION-NEXT: func.func @other
// FUNCTION-NOT: @main
// FUNCTION: // -----// IR Dump After cse //----- //
// FUNCTION-NEXT: func.func @other
// SAME-NOT: IR Dump
// SAME: func.return

// DIFF: // -----// IR Diff After canonicalize //----- //
// DIFF-NEXT: --- before
// DIFF-NEXT: +++ after
// DIFF: {{^}}-{{.*}} ov.logical_not %x
// DIFF-NOT: // -----//

// TIMING: Total execution time: {{[0-9.]+}} seconds
// TIMING: ----Wall time----  ----Name----
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  parse
// TIMING-NEXT: %)  verify
// TIMING-NEXT: %)  passes
// TIMING-NEXT: %)    verify
// TIMING-NEXT: %)    canonicalize
// TIMING-NEXT: %)    cse
// TIMING-NEXT: %)    canonicalize
// TIMING-NEXT: %)    rest
// TIMING-NEXT: %)  print
// TIMING-NEXT: %)  rest
// TIMING-NEXT: (100.0%)  total

// INSPECT: %)  load
// INSPECT-NEXT: %)    ov-remove-unneeded
// INSPECT: %)  lower
// INSPECT: (100.0%)  total

// STATISTICS: Pass statistics
// STATISTICS-NEXT: ov-infer
// STATISTICS-NEXT: 1  runs
// STATISTICS-NEXT: canonicalize
// STATISTICS-NEXT: 1  runs
// STATISTICS-NEXT: 2  DoubleNegation applied
// STATISTICS-NEXT: 2  erase-dead applied
// STATISTICS-NEXT: 4  operations removed
// STATISTICS-NEXT: cse
// STATISTICS-NEXT: 1  runs

// LIMIT: BISECT: running pass (1) canonicalize
// LIMIT-NEXT: BISECT: NOT running pass (2) cse

// NONE: BISECT: NOT running pass (1) canonicalize
// NONE: {{.*}}.c, {{.*}}.h

// ONE-COUNT-3: ov.logical_not
// ONE-NOT: ov.logical_not
// ZERO-COUNT-5: ov.logical_not

// NO-COUNTER: warning: --debug-counter no-such: no pass or pattern of this name ran
// BAD-COUNTER: error: 'canonicalize=-1' is not NAME=N [bad-option]

// TRACE: canonicalize/DoubleNegation 1 on {{.*}}observing.mlir:{{[0-9]+}}:{{[0-9]+}}: ov.logical_not
// TRACE-NEXT: - %b = ov.logical_not %a
// TRACE: canonicalize/DoubleNegation 2 on
// NO-TRACE-NOT: canonicalize
// BAD-REGEX: --trace-patterns '(' is not a regular expression: {{.*}} [bad-option]

func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  %a = ov.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
  %b = ov.logical_not %a : (tensor<4xi1>) -> tensor<4xi1>
  %c = ov.logical_not %b : (tensor<4xi1>) -> tensor<4xi1>
  %d = ov.logical_not %c : (tensor<4xi1>) -> tensor<4xi1>
  func.return %d : tensor<4xi1>
}
func.func @other(%x: tensor<4xi1>) -> tensor<4xi1> {
  %a = ov.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
  func.return %a : tensor<4xi1>
}
