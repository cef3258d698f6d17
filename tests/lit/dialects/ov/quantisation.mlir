// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%x: tensor<2x?x4xf32>, %il: tensor<f32>, %c: tensor<1x4xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: ov.fake_quantize %x, %il, %c, %il, %c {levels = 256 : i64} : (tensor<2x?x4xf32>, tensor<f32>, tensor<1x4xf32>, tensor<f32>, tensor<1x4xf32>) -> tensor<2x?x4xf32>
  %y = ov.fake_quantize %x, %il, %c, %il, %c {levels = 256 : i64} : (tensor<2x?x4xf32>, tensor<f32>, tensor<1x4xf32>, tensor<f32>, tensor<1x4xf32>) -> tensor<2x?x4xf32>
  func.return
}

func.func @f1(%x: tensor<3xf16>) {
  // CHECK-LABEL: @f1
  // CHECK: ov.fake_quantize %x, %x, %x, %x, %x {levels = 2 : i64, auto_broadcast = "none"}
  %y = ov.fake_quantize %x, %x, %x, %x, %x {levels = 2 : i64, auto_broadcast = "none"} : (tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  func.return
}

func.func @f2(%x: tensor<2x?xf32>, %s: tensor<f32>) {
  // CHECK-LABEL: @f2
  // CHECK: ov.fake_convert %x, %s : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  %y = ov.fake_convert %x, %s : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  // CHECK: ov.fake_convert %x, %s, %s {destination_type = f8E5M2} : (tensor<2x?xf32>, tensor<f32>, tensor<f32>) -> tensor<2x?xf32>
  %z = ov.fake_convert %x, %s, %s {destination_type = f8E5M2} : (tensor<2x?xf32>, tensor<f32>, tensor<f32>) -> tensor<2x?xf32>
  func.return
}
