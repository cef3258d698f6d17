// RUN: loomir-opt %s -p ovseq-append-to-concat --split-input-file | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ovseq-append-to-concat' --split-input-file -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// A condition, no elements before, another carried value.
// CHECK:      %k, %[[ALL:.*]] = ov.loop trip(%n) while(%go) carried(%zero) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<?x2xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %a: tensor<f32>):
// CHECK:        %[[ROW:.*]] = ov.unsqueeze %v
// CHECK-NEXT:   ov.next while(%more) carried(%b : tensor<f32>) concat(%[[ROW]] : tensor<1x2xf32>)
// CHECK:      ovseq.split %[[ALL]] {axis = 0 : i64, keepdims = false} : (tensor<?x2xf32>) -> !ovseq.sequence<tensor<2xf32>>
// REMARK:     ovseq-append-to-concat: done: {{.*}} 1 sequence(s) became concatenated outputs
func.func @main(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>) -> (!ovseq.sequence<tensor<2xf32>>, tensor<f32>) {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %e = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %s, %k = ov.loop trip(%n) while(%go) carried(%e, %zero)
      : (tensor<i64>, tensor<i1>, !ovseq.sequence<tensor<*xf32>>, tensor<f32>) -> (!ovseq.sequence<tensor<2xf32>>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>, %a: tensor<f32>):
    %v = ov.add %x, %a : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %b = ov.exp %a : (tensor<f32>) -> tensor<f32>
    %more = ov.less %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %d = ovseq.insert %c, %v : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next while(%more) carried(%d, %b : !ovseq.sequence<tensor<2xf32>>, tensor<f32>)
  }
  func.return %s, %k : !ovseq.sequence<tensor<2xf32>>, tensor<f32>
}

// -----

// Elements before the loop go in front.
// CHECK:      %[[ALL:.*]] = ov.loop trip(%n) {concats
// CHECK:        ov.next concat
// CHECK:      %[[FIRST:.*]] = ov.unsqueeze %x
// CHECK-NEXT: %[[BOTH:.*]] = ov.concat %[[FIRST]], %[[ALL]] {axis = 0 : i64} : (tensor<1x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
// CHECK-NEXT: ovseq.split %[[BOTH]]
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>> {
  %e = ovseq.construct %x : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %s = ov.loop trip(%n) carried(%e) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
    %d = ovseq.insert %c, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d : !ovseq.sequence<tensor<2xf32>>)
  }
  func.return %s : !ovseq.sequence<tensor<2xf32>>
}

// -----

// Left alone: the body reads the sequence; elements of different shapes.
// CHECK: ov.loop trip(%n) carried(%e, %e)
// REMARK: left: {{.*}} an appended element has no static shape
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<?xf32>) -> !ovseq.sequence<tensor<?xf32>> {
  %e = ovseq.construct %x : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %s, %t = ov.loop trip(%n) carried(%e, %e) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<?xf32>>, !ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<?xf32>>, %r: !ovseq.sequence<tensor<2xf32>>):
    %d = ovseq.insert %c, %y : (!ovseq.sequence<tensor<?xf32>>, tensor<?xf32>) -> !ovseq.sequence<tensor<?xf32>>
    %f = ovseq.at %r, %i : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
    %g = ovseq.insert %r, %f : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d, %g : !ovseq.sequence<tensor<?xf32>>, !ovseq.sequence<tensor<2xf32>>)
  }
  func.return %s : !ovseq.sequence<tensor<?xf32>>
}
