// RUN: loomir-opt %s -p canonicalize | filecheck %s

// The program of transform.mlir: without its schedule all loops stay.
// CHECK-COUNT-6: ov.loop

func.func @main(%n: tensor<i64>, %x: tensor<4xf32>, %rows: tensor<6x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %a = ov.loop trip(%three) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  } loc("first")
  %b = ov.loop trip(%three) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.cos %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  } loc("second")
  %c = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %w = ov.multiply %v, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  } loc("open")
  %zero = ov.constant dense<0.0> : tensor<1x4xf32> : tensor<1x4xf32>
  %all = ov.loop sliced(%rows) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<6x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
    %w = ov.tanh %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next concat(%w : tensor<1x4xf32>)
  } loc("rows")
  %s = ov.loop carried(%zero) sliced(%all) {slices = [#ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x4xf32>):
    %m = ov.maximum %v, %q : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%m : tensor<1x4xf32>)
  } loc("largest")
  %flat = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
  %d = ov.reshape %s, %flat {special_zero = false} : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
  %g = ov.loop trip(%three) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %u = ov.subtract %v, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%u : tensor<4xf32>)
  } loc("untouched")
  func.return %a, %b, %c, %d, %g : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
