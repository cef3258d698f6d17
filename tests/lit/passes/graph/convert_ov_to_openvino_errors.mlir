// RUN: loomir-opt %s --split-input-file --verify-diagnostics -p convert-ov-to-openvino
// What cannot be said is refused by name.

func.func @bits(%x: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error@+1 {{no operation set of OpenVINO has ov.bit_cast [not-in-openvino]}}
  %y = ov.bit_cast %x {destination_type = i32} : (tensor<2xf32>) -> tensor<2xi32>
  func.return %y : tensor<2xi32>
}

// -----

func.func @stops() -> tensor<2xf32> {
  // expected-error@+1 {{the program always stops here: of another shape [not-in-openvino]}}
  %y = ov.fail "of another shape" : tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

func.func @gaps(%n: tensor<i64>, %s: tensor<1x3xf32>) -> tensor<?x3xf32> {
  // expected-error@+1 {{a Loop has no output that is joined by}}
  %q = ov.loop trip(%n) {concats = [#ov.slice<axis = 0, start = 1>]} : (tensor<i64>) -> tensor<?x3xf32> {
  ^bb0(%i: tensor<i64>):
    ov.next concat(%s : tensor<1x3xf32>)
  }
  func.return %q : tensor<?x3xf32>
}
