// RUN: loomir-opt %s --split-input-file --verify-diagnostics -p convert-ov-to-openvino
// What cannot be said is refused by name.

func.func @bits(%x: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error@+1 {{no operation set of OpenVINO reads bits of f32 as i32 [not-in-openvino]}}
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
  // expected-error@+1 {{a Loop in OpenVINO cannot concatenate an output by}}
  %q = ov.loop trip(%n) {concats = [#ov.slice<axis = 0, start = 1>]} : (tensor<i64>) -> tensor<?x3xf32> {
  ^bb0(%i: tensor<i64>):
    ov.next concat(%s : tensor<1x3xf32>)
  }
  func.return %q : tensor<?x3xf32>
}

// -----

func.func @index(%x: tensor<3xf32>) -> tensor<f32> {
  %i = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{the program always stops here: an index is out of range [not-in-openvino]}}
  %y = ov.gather %x, %i, %a {out_of_range = "error"} : (tensor<3xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// -----

func.func @beyond_64_bits(%x: tensor<4xf32>, %k: tensor<ui64>) -> tensor<4xf32> {
  // expected-error@+1 {{ov.cum_sum in OpenVINO has no axis of ui64 [not-in-openvino]}}
  %y = ov.cum_sum %x, %k : (tensor<4xf32>, tensor<ui64>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

func.func @volume(%x: tensor<1x1x2x2x2xf32>, %g: tensor<1x2x2x2x3xf32>) -> tensor<1x1x2x2x2xf32> {
  // expected-error@+1 {{ov.grid_sample in OpenVINO needs data of four dimensions [not-in-openvino]}}
  %y = ov.grid_sample %x, %g : (tensor<1x1x2x2x2xf32>, tensor<1x2x2x2x3xf32>) -> tensor<1x1x2x2x2xf32>
  func.return %y : tensor<1x1x2x2x2xf32>
}

// -----

func.func @powers(%x: tensor<4xf32>) -> tensor<4xf8E8M0FNU> {
  // expected-error@+1 {{the layer Convert has no attribute for round_mode = 'up' [not-in-openvino]}}
  %y = ov.convert %x {destination_type = f8E8M0FNU} : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  func.return %y : tensor<4xf8E8M0FNU>
}

// -----

func.func @corners(%x: tensor<1x1x4x4xf32>, %r: tensor<1x4xf32>, %b: tensor<1xi64>) -> tensor<1x1x2x2xf32> {
  // expected-error@+1 {{the layer ROIAlign has no attribute for maximum_of = 'corners' [not-in-openvino]}}
  %y = ov.roi_align %x, %r, %b {pooled_h = 2 : i64, pooled_w = 2 : i64, mode = "max", maximum_of = "corners"} : (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x2x2xf32>
  func.return %y : tensor<1x1x2x2xf32>
}
