// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x3x4x5xf32>, %b: tensor<1x6x7x3xf32>) {
  // expected-error@+1 {{[grid-sample-shapes]}}
  %x = ov.grid_sample %a, %b : (tensor<1x3x4x5xf32>, tensor<1x6x7x3xf32>) -> tensor<1x3x6x7xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x2x5x5xf32>, %o: tensor<1x6x4x4xf32>, %f: tensor<6x2x2x2xf32>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %x = ov.deformable_convolution %a, %o, %f : (tensor<1x2x5x5xf32>, tensor<1x6x4x4xf32>, tensor<6x2x2x2xf32>) -> tensor<1x6x4x4xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<1x2x5x5xf32>, %o: tensor<1x8x3x3xf32>, %f: tensor<6x2x2x2xf32>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %x = ov.deformable_convolution %a, %o, %f : (tensor<1x2x5x5xf32>, tensor<1x8x3x3xf32>, tensor<6x2x2x2xf32>) -> tensor<1x6x3x3xf32>
  func.return
}

// -----

func.func @f3(%a: tensor<1x2x5x5xi32>, %o: tensor<1x8x4x4xi32>, %f: tensor<6x2x2x2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %x = ov.deformable_convolution %a, %o, %f : (tensor<1x2x5x5xi32>, tensor<1x8x4x4xi32>, tensor<6x2x2x2xi32>) -> tensor<1x6x4x4xi32>
  func.return
}

// -----

func.func @f4(%a: tensor<1x2x5x5xf32>, %o: tensor<1x8x4x4xf32>, %f: tensor<6x2x2x2xf32>) {
  // expected-error@+1 {{[convolution-shapes]}}
  %x = ov.deformable_convolution %a, %o, %f {group = 0} : (tensor<1x2x5x5xf32>, tensor<1x8x4x4xf32>, tensor<6x2x2x2xf32>) -> tensor<1x6x4x4xf32>
  func.return
}
