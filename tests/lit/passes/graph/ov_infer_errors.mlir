// RUN: loomir-opt %s -p ov-infer --verify-diagnostics

// Parts of no known rank, concatenated along an axis that no tensor has.
func.func @main(%x: tensor<*xf32>, %n: tensor<i64>) -> tensor<*xf32> {
  // expected-error@+1 {{a tensor has 4611686018427387905 dimensions, at most 32 are possible [shape-too-large]}}
  %s = ov.loop trip(%n) {concats = [#ov.slice<axis = 4611686018427387904>]} : (tensor<i64>) -> (tensor<*xf32>) {
  ^bb0(%i: tensor<i64>):
    %f = ov.fail "no" : tensor<*xf32>
    %e = ov.exp %f : (tensor<*xf32>) -> tensor<*xf32>
    ov.next concat(%e : tensor<*xf32>)
  }
  func.return %s : tensor<*xf32>
}
