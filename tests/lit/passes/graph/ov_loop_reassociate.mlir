// RUN: loomir-opt %s -p ov-loop-reassociate | filecheck %s
// RUN: loomir-opt %s -p ov-loop-reassociate --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p ov-loop-reductions | filecheck %s --check-prefix=EXACT

// Sums of floats stay without the pass. Linear recurrences: tests/unit/passes/graph/test_linear_recurrences.py computes them.

// Eight blocks of eight iterations, each as if it began with 0; then what each block begins with.
// CHECK-LABEL: func.func @of_rows
// CHECK-DAG:   %[[FACTORS:.*]] = ov.reshape %{{.*}} : (tensor<64x1x4xf32>, tensor<4xi64>) -> tensor<8x8x1x4xf32>
// CHECK-DAG:   %[[ONES:.*]] = ov.constant dense<1.000000e+00> : tensor<8x1x1x4xf32>
// CHECK-DAG:   %[[ZEROS:.*]] = ov.constant dense<0.000000e+00> : tensor<8x1x1x4xf32>
// CHECK:       %[[PRODUCT:.*]], %[[END:.*]], %[[PRODUCTS:.*]], %[[SUMS:.*]] = ov.loop carried(%[[ONES]], %[[ZEROS]])
// CHECK-SAME:  {slices = [#ov.slice<axis = 1>, #ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>, #ov.slice<axis = 1>]}
// CHECK:       %{{.*}}, %[[BEGINS:.*]] = ov.loop carried(%{{.*}}) sliced(%[[PRODUCT]], %[[END]])
// CHECK-SAME:  {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[BEGIN:.*]]: tensor<1x1x1x4xf32>, %{{.*}}: tensor<1x1x1x4xf32>, %{{.*}}: tensor<1x1x1x4xf32>):
// CHECK:       ov.next carried(%{{.*}}) concat(%[[BEGIN]] : tensor<1x1x1x4xf32>)
// CHECK:       %[[OF_FIRST:.*]] = ov.multiply %[[BEGINS]], %[[PRODUCTS]]
// CHECK-NEXT:  ov.add %[[OF_FIRST]], %[[SUMS]]
// CHECK-NOT:   ov.loop
// REMARK-DAG:  remark: ov-loop-reassociate: done: ov.loop: computed 1 results at once
// EXACT-LABEL: func.func @of_rows
// EXACT:       ov.loop carried(%a) sliced(%x, %y)
func.func @of_rows(%x: tensor<64x4xf32>, %y: tensor<64x4xf32>, %a: tensor<1x4xf32>) -> tensor<64x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>) -> (tensor<1x4xf32>, tensor<64x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  func.return %all : tensor<64x4xf32>
}

// 37 iterations are seven blocks of six, of which the last five change nothing; the factor is the same in all.
// CHECK-LABEL: func.func @with_more_iterations
// CHECK:       ov.broadcast %b
// CHECK-DAG:   ov.constant dense<1.000000e+00> : tensor<5x1x4xf32>
// CHECK-DAG:   ov.constant dense<0.000000e+00> : tensor<5x1x4xf32>
// CHECK:       ov.loop
// CHECK:       ov.loop
// CHECK-NOT:   = ov.slice
// CHECK:       return
func.func @with_more_iterations(%y: tensor<37x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%y) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<37x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.multiply %v, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.subtract %q, %m : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// Few iterations stay a loop.
// CHECK-LABEL: func.func @few
// CHECK:       ov.loop carried(%a) sliced(%x)
// REMARK-DAG:  remark: ov-loop-reassociate: left: ov.loop: no result is a reduction of its slices alone, or the body needs it
func.func @few(%x: tensor<31x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<31x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %m = ov.multiply %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// The factor is known of what the iteration before gave.
// CHECK-LABEL: func.func @of_itself
// CHECK:       ov.loop carried(%a) sliced(%x)
// CHECK-NOT:   ov.loop
// CHECK:       return
func.func @of_itself(%x: tensor<64x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<64x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %f = ov.multiply %v, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %m = ov.multiply %f, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<1x4xf32>
}

// Two tensors of products and sums are more than 64 kB.
// CHECK-LABEL: func.func @large
// CHECK:       ov.loop carried(%a) sliced(%x)
// CHECK-NOT:   ov.loop
// CHECK:       return
// REMARK-DAG:  remark: ov-loop-reassociate: left: ov.loop: 81920 bytes to be reduced are more than max-bytes=65536
func.func @large(%x: tensor<64x160xf32>, %a: tensor<1x160xf32>) -> tensor<1x160xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x160xf32>, tensor<64x160xf32>) -> tensor<1x160xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x160xf32>, %p: tensor<1x160xf32>):
    %m = ov.multiply %v, %p : (tensor<1x160xf32>, tensor<1x160xf32>) -> tensor<1x160xf32>
    %w = ov.add %m, %p : (tensor<1x160xf32>, tensor<1x160xf32>) -> tensor<1x160xf32>
    ov.next carried(%w : tensor<1x160xf32>)
  }
  func.return %r : tensor<1x160xf32>
}

// Unsigned integers have no −1: the factor is 0 − 1.
// CHECK-LABEL: func.func @unsigned
// CHECK:       %[[FACTOR:.*]] = ov.subtract %{{.*}}, %{{.*}} : (tensor<64x1x4xui8>, tensor<64x1x4xui8>)
// CHECK:       ov.loop
// CHECK:       ov.loop
func.func @unsigned(%x: tensor<64x4xui8>, %y: tensor<64x4xui8>, %a: tensor<1x4xui8>) -> tensor<1x4xui8> {
  %r = ov.loop carried(%a) sliced(%x, %y) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xui8>, tensor<64x4xui8>, tensor<64x4xui8>) -> tensor<1x4xui8> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xui8>, %p: tensor<1x4xui8>, %q: tensor<1x4xui8>):
    %s = ov.subtract %q, %v : (tensor<1x4xui8>, tensor<1x4xui8>) -> tensor<1x4xui8>
    %w = ov.multiply %s, %p : (tensor<1x4xui8>, tensor<1x4xui8>) -> tensor<1x4xui8>
    ov.next carried(%w : tensor<1x4xui8>)
  }
  func.return %r : tensor<1x4xui8>
}
