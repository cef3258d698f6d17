// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%x: tensor<2x3x0x7xf32>, %r: tensor<?x5xf32>) {
  // expected-error@+1 {{data has shape [2, 3, 0, 7], expected [N, C, H, W] with pixels [roi-shapes]}}
  %0 = ov.roi_pooling %x, %r {pooled_h = 2 : i64, pooled_w = 4 : i64} : (tensor<2x3x0x7xf32>, tensor<?x5xf32>) -> tensor<?x3x2x4xf32>
  func.return
}

// -----

func.func @f1(%x: tensor<2x3x6x7xf32>, %r: tensor<5x4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{batch_indices of ov.roi_align has regions = 4, elsewhere it is 5 [roi-shapes]}}
  %0 = ov.roi_align %x, %r, %b {pooled_h = 2 : i64, pooled_w = 4 : i64} : (tensor<2x3x6x7xf32>, tensor<5x4xf32>, tensor<4xi32>) -> tensor<5x3x2x4xf32>
  func.return
}

// -----

func.func @f2(%x: tensor<2x3x6x7xf32>, %r: tensor<5x5xf32>) {
  // expected-error@+1 {{method is 'mean', expected max or bilinear [attribute-value]}}
  %0 = ov.roi_pooling %x, %r {pooled_h = 2 : i64, pooled_w = 4 : i64, method = "mean"} : (tensor<2x3x6x7xf32>, tensor<5x5xf32>) -> tensor<5x3x2x4xf32>
  func.return
}

// -----

func.func @f3(%x: tensor<2x3x6x7xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi32>) {
  // expected-error@+1 {{aligned_mode is 'half', expected asymmetric or half_pixel_for_nn or half_pixel [attribute-value]}}
  %0 = ov.roi_align %x, %r, %b {pooled_h = 2 : i64, pooled_w = 4 : i64, aligned_mode = "half"} : (tensor<2x3x6x7xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x3x2x4xf32>
  func.return
}
