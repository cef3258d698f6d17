// RUN: loomir-opt %s -p ov-if-to-select --machine cortex-m4 --print-pipeline | filecheck %s --check-prefix=PIPELINE
// RUN: loomir-opt %s -p ov-if-to-select --machine cortex-m4 --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=SMALL
// RUN: loomir-opt %s -p ov-if-to-select --machine x86-64 --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=LARGE
// RUN: loomir-opt %s -p 'ov-if-to-select{machine=x86-64}' --machine cortex-m4 --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=LARGE
// RUN: not loomir-opt %s -p ov-if-to-select --machine z80 2>&1 | filecheck %s --check-prefix=UNKNOWN

// A machine reaches the passes that ask for one, but those whose own option says another.
// PIPELINE: ov-if-to-select{{.*}}machine="cortex-m4"
// SMALL: remark: ov-if-to-select: left: ov.if: {{.*}} more than 3
// LARGE: remark: ov-if-to-select: done: ov.if
// UNKNOWN: error: {{.*}}z80{{.*}} [bad-option]
// UNKNOWN-NEXT: known: {{.*}}cortex-m4

func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.if %c -> (tensor<2xf32>) {
    %a = ov.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield %a : tensor<2xf32>
  } else {
    %b = ov.multiply %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield %b : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}
