// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x4x6xf32>) {
  // expected-error@+1 {{[patches-shape]}}
  %x = ov.extract_image_patches %a {sizes = array<i64: 2, 3>, strides = array<i64: 1, 2>, rates = array<i64: 1, 1>, auto_pad = "valid"} : (tensor<1x4x6xf32>) -> tensor<1x24x3x2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{[window-attributes]}}
  %x = ov.extract_image_patches %a {sizes = array<i64: 2>, strides = array<i64: 1>, rates = array<i64: 1>, auto_pad = "valid"} : (tensor<1x4x6x6xf32>) -> tensor<1x24x3x2xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %x = ov.extract_image_patches %a {sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, rates = array<i64: 1, 1>, auto_pad = "explicit"} : (tensor<1x4x6x6xf32>) -> tensor<1x16x5x5xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<1x3x4x4xf32>) {
  // expected-error@+1 {{[patches-shape]}}
  %x = ov.reorg_yolo %a {stride = 2 : i64} : (tensor<1x3x4x4xf32>) -> tensor<1x12x2x2xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<1x4x4x4xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %x = ov.reorg_yolo %a {stride = 0 : i64} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  func.return
}
