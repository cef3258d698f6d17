// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<1x2x4x5xf32>, %b: tensor<2xi64>) {
  %axes = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  %scales = ov.constant dense<[2.0, 0.5]> : tensor<2xf32> : tensor<2xf32>
  // CHECK-LABEL: @f0
  // CHECK: ov.interpolate %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {mode = "nearest", shape_calculation_mode = "sizes"} : (tensor<1x2x4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x?x?xf32>
  %x = ov.interpolate %a, %b, %axes {mode = "nearest", shape_calculation_mode = "sizes"} : (tensor<1x2x4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x?x?xf32>
  // CHECK: ov.interpolate %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {mode = "linear", shape_calculation_mode = "scales", antialias = true, pads_begin = array<i64: 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<1x2x10x2xf32>
  %y = ov.interpolate %a, %scales, %axes {mode = "linear", shape_calculation_mode = "scales", antialias = true, pads_begin = array<i64: 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<1x2x10x2xf32>
  func.return
}

func.func @f1(%a: tensor<*xui8>, %b: tensor<2xi64>, %axes: tensor<2xi64>, %roi: tensor<4xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: ov.interpolate %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {mode = "cubic", shape_calculation_mode = "sizes", coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<*xui8>, tensor<2xi64>, tensor<2xi64>, tensor<4xf32>) -> tensor<*xui8>
  %x = ov.interpolate %a, %b, %axes, %roi {mode = "cubic", shape_calculation_mode = "sizes", coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<*xui8>, tensor<2xi64>, tensor<2xi64>, tensor<4xf32>) -> tensor<*xui8>
  func.return
}

func.func @f2(%a: tensor<2x4xf16>, %p: tensor<7x2xi32>, %w: tensor<7x2xf32>, %q: tensor<?xi64>) {
  // CHECK-LABEL: @f2
  // CHECK: ov.resample %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axes = array<i64: -1>, weighted = true} : (tensor<2x4xf16>, tensor<7x2xi32>, tensor<7x2xf32>) -> tensor<2x7xf16>
  %x = ov.resample %a, %p, %w {axes = array<i64: -1>, weighted = true} : (tensor<2x4xf16>, tensor<7x2xi32>, tensor<7x2xf32>) -> tensor<2x7xf16>
  // CHECK: ov.resample %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {axes = array<i64: 0>} : (tensor<2x4xf16>, tensor<?xi64>) -> tensor<?x4xf16>
  %y = ov.resample %a, %q {axes = array<i64: 0>} : (tensor<2x4xf16>, tensor<?xi64>) -> tensor<?x4xf16>
  func.return
}
