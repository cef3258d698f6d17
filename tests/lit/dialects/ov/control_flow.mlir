// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s | loomir-opt | filecheck %s
// RUN: loomir-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @loop
// CHECK: %sum, %half, %all = ov.loop trip(%n) while(%go) carried(%zero) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<i1>, tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x?xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %acc: tensor<1x4xf32>, %part: tensor<1x4xf32>):
// CHECK: ov.next while(%go) carried(%next : tensor<1x4xf32>) last(%part : tensor<1x4xf32>) concat(%next : tensor<1x4xf32>)
// GENERIC: "ov.loop"(%n, %go, %zero, %x) <{{.*}}operandSegmentSizes = array<i32: 1, 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1, 1>
// GENERIC: "ov.next"(%go, %next, %part, %next)
func.func @loop(%n: tensor<i64>, %go: tensor<i1>, %zero: tensor<1x4xf32>, %x: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x?xf32>) {
  %sum, %half, %all = ov.loop trip(%n) while(%go) carried(%zero) sliced(%x)
      {slices = [#ov.slice<axis = 0, start = 0, end = -1, stride = 1, part_size = 1>], concats = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>]}
      : (tensor<i64>, tensor<i1>, tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x?xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<1x4xf32>, %part: tensor<1x4xf32>):
    %next = ov.add %acc, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next while(%go) carried(%next : tensor<1x4xf32>) last(%part : tensor<1x4xf32>) concat(%next : tensor<1x4xf32>)
  }
  func.return %sum, %half, %all : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x?xf32>
}

// A loop may have nothing but a body.
// CHECK-LABEL: func.func @bare
// CHECK: ov.loop : () -> () {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>):
// CHECK-NEXT: ov.next while(%go)
func.func @bare(%go: tensor<i1>) {
  ov.loop : () -> () {
  ^bb0(%i: tensor<i64>):
    ov.next while(%go)
  }
  func.return
}

// CHECK-LABEL: func.func @branches
// CHECK: %r = ov.if %c -> (tensor<*xf32>) {
// CHECK-NEXT: ov.yield %a : tensor<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ov.yield %b : tensor<1x3xf32>
func.func @branches(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<1x3xf32>) -> tensor<*xf32> {
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %b : tensor<1x3xf32>
  }
  func.return %r : tensor<*xf32>
}
