// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @align(%x: tensor<2x3x?x7xf32>, %r: tensor<?x4xf32>, %b: tensor<5xi32>) {
  // CHECK-LABEL: @align
  // CHECK: ov.roi_align %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}} {pooled_h = 2 : i64, pooled_w = 4 : i64, spatial_scale = 5.000000e-01 : f64, sampling_ratio = 2 : i64, mode = "max", aligned_mode = "half_pixel", maximum_of = "corners"} : (tensor<2x3x?x7xf32>, tensor<?x4xf32>, tensor<5xi32>) -> tensor<5x3x2x4xf32>
  %0 = ov.roi_align %x, %r, %b {pooled_h = 2 : i64, pooled_w = 4 : i64, spatial_scale = 5.000000e-01 : f64, sampling_ratio = 2 : i64, mode = "max", aligned_mode = "half_pixel", maximum_of = "corners"} : (tensor<2x3x?x7xf32>, tensor<?x4xf32>, tensor<5xi32>) -> tensor<5x3x2x4xf32>
  func.return
}

func.func @pool(%x: tensor<2x3x?x7xf32>, %r: tensor<?x5xf32>) {
  // CHECK-LABEL: @pool
  // CHECK: ov.roi_pooling %{{[a-z]}}, %{{[a-z]}} {pooled_h = 2 : i64, pooled_w = 4 : i64, method = "bilinear"} : (tensor<2x3x?x7xf32>, tensor<?x5xf32>) -> tensor<?x3x2x4xf32>
  %0 = ov.roi_pooling %x, %r {pooled_h = 2 : i64, pooled_w = 4 : i64, method = "bilinear"} : (tensor<2x3x?x7xf32>, tensor<?x5xf32>) -> tensor<?x3x2x4xf32>
  func.return
}
