// RUN: loomir-opt %s -p 'ov-bound-shapes{max-trips=5}' | filecheck %s
// RUN: not loomir-opt %s -p ov-bound-shapes 2>&1 | filecheck %s --check-prefix NONE

// CHECK: ov.loop {{.*}}loomir.bounds = [array<i64: 10, 3>]
// NONE: 'collect' (ov.loop): the loop concatenates (dimension 0 of result 0), but nothing bounds how often it runs [unbounded-trips]
func.func @main(%c: tensor<i1>, %x: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %r = ov.loop while(%c) {concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]} : (tensor<i1>) -> (tensor<?x3xf32>) {
  ^bb0(%i: tensor<i64>):
    ov.next while(%c) concat(%x : tensor<2x3xf32>)
  } loc("collect")
  func.return %r : tensor<?x3xf32>
}
