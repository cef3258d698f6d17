// RUN: loomir-opt -p ov-loop-fuse --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p 'ov-loop-fuse' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt --remarks -p 'ov-loop-fuse{max-operations=3}' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=SMALL

// Three loops, of which each only goes over what the one before it joins, are one.
func.func @main(%x: tensor<8x4xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %b = ov.exp %a : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %more = ov.loop sliced(%all) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.tanh %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%a) sliced(%more, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.add %m, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %s, %b : tensor<1x4xf32>, tensor<1x4xf32>
}
// CHECK:      %r, %s = ov.loop carried(%a, %a) sliced(%x, %x)
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %[[V:.*]]: tensor<1x4xf32>, %p: tensor<1x4xf32>, %[[Q:.*]]: tensor<1x4xf32>):
// CHECK-NEXT:   %w = ov.add %v, %p
// CHECK-NEXT:   %[[T:.*]] = ov.tanh %w
// CHECK-NEXT:   %m = ov.maximum %[[V]], %[[T]]
// CHECK-NEXT:   %[[W:.*]] = ov.add %m, %[[Q]]
// CHECK-NEXT:   ov.next carried(%w, %[[W]]
// CHECK:      func.return %s, %b
// REMARK:     done: ov.loop: fused two loops: the second slices what the first concatenates
// REMARK:     done: ov.loop: fused two loops: the second slices what the first concatenates
// SMALL:      left: ov.loop: 4 operations are more than 3

// -----

// It reads the first one's final value.
func.func @main(%x: tensor<8x4xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r, %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.add %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>) concat(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%r) sliced(%all) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %w = ov.maximum %v, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %s : tensor<1x4xf32>
}
// CHECK-COUNT-2: ov.loop
// REMARK: left: ov.loop: it depends on the first loop in another way

// -----

// Backwards; another part size; a condition. What is joined is a result: it is still joined.
func.func @main(%x: tensor<8x4xf32>, %a: tensor<4xf32>, %go: tensor<i1>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %e = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  %back = ov.loop sliced(%e) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.tanh %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  %pairs = ov.loop sliced(%back) {slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<2x4xf32>):
    %w = ov.abs %p : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next concat(%w : tensor<2x4xf32>)
  }
  %some = ov.loop sliced(%pairs) {slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<2x4xf32>):
    %w = ov.abs %p : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next while(%go) concat(%w : tensor<2x4xf32>)
  }
  %k = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  %l = ov.loop sliced(%k) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  }
  func.return %back, %pairs, %some, %k, %l : tensor<8x4xf32>, tensor<8x4xf32>, tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
// CHECK:      %e = ov.loop sliced(%x)
// CHECK:      %back = ov.loop sliced(%e)
// CHECK:      %pairs = ov.loop sliced(%back)
// CHECK:      %some = ov.loop sliced(%pairs)
// CHECK:      %k, %l = ov.loop sliced(%x)
// CHECK:        ov.next concat(%{{.*}}, %{{.*}} : tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK:      func.return %back, %pairs, %some, %k, %l
// REMARK: left: ov.loop: its slices differ from the concatenated parts
// REMARK: left: ov.loop: a condition may end one of them early

// -----

// Errors of both would come in another order.
func.func @main(%x: tensor<8xi64>, %a: tensor<4xf32>) -> tensor<8xf32> {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %all = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8xi64>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1xi64>):
    %w = ov.gather %a, %p, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.next concat(%w : tensor<1xf32>)
  }
  %s = ov.loop sliced(%all) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1xf32>):
    %k = ov.convert %p {destination_type = i64} : (tensor<1xf32>) -> tensor<1xi64>
    %w = ov.gather %a, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.next concat(%w : tensor<1xf32>)
  }
  func.return %s : tensor<8xf32>
}
// CHECK-COUNT-2: ov.loop
// REMARK: left: ov.loop: both may fail, and fusion would change the order of errors
