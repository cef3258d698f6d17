// RUN: loomir-opt %s -p 'ov-quantize-io' --split-input-file | filecheck %s
// RUN: loomir-opt %s -p 'ov-quantize-io{element=uint8}' --split-input-file | filecheck %s --check-prefix UNSIGNED
// RUN: loomir-opt %s -p 'ov-quantize-io,ov-to-integer,ov-fold-constants,canonicalize' --split-input-file | filecheck %s --check-prefix INTEGER

// Levels from 0 become integers from -128 or from 0. Behind `ov-to-integer` nothing is left of what quantises what is quantised already.
// CHECK-LABEL: func.func @main(%x: tensor<1x8xi8>
// CHECK-SAME: loomir.name = "x", loomir.scale = 2.500000e-01 : f64, loomir.zero_point = 0 : i64
// CHECK-SAME: -> (tensor<1x8xi8> {loomir.name = "y", loomir.scale = 2.500000e-01 : f64, loomir.zero_point = -128 : i64})
// CHECK-NEXT: [[F:%.*]] = ov.convert %x {destination_type = f32}
// CHECK-NEXT: [[SCALE:%.*]] = ov.constant dense<2.500000e-01>
// CHECK-NEXT: [[REAL:%.*]] = ov.multiply [[F]], [[SCALE]]
// CHECK: [[Q:%.*]] = ov.fake_quantize [[REAL]]
// CHECK: [[R:%.*]] = ov.fake_quantize [[Q]]
// CHECK: [[STEPS:%.*]] = ov.divide [[R]]
// CHECK-NEXT: [[ROUND:%.*]] = ov.round [[STEPS]]
// CHECK-NEXT: [[ZERO:%.*]] = ov.constant dense<-1.280000e+02>
// CHECK-NEXT: [[SUM:%.*]] = ov.add [[ROUND]], [[ZERO]]
// CHECK-NEXT: [[LIMITED:%.*]] = ov.clamp [[SUM]] {min = -1.280000e+02 : f64, max = 1.270000e+02 : f64}
// CHECK-NEXT: [[RESULT:%.*]] = ov.convert [[LIMITED]] {destination_type = i8}
// CHECK-NEXT: func.return [[RESULT]]
//
// UNSIGNED-LABEL: func.func @main(%x: tensor<1x8xui8>
// UNSIGNED-SAME: loomir.scale = 2.500000e-01 : f64, loomir.zero_point = 128 : i64
// UNSIGNED-SAME: -> (tensor<1x8xui8> {loomir.name = "y", loomir.scale = 2.500000e-01 : f64, loomir.zero_point = 0 : i64})
//
// INTEGER-LABEL: func.func @main(%x: tensor<1x8xi8>
// INTEGER-NOT: f32>
// INTEGER: [[WIDE:%.*]] = ov.convert %x {destination_type = i32}
// INTEGER-NEXT: [[LIMITED:%.*]] = ov.clamp [[WIDE]] {min = 0.000000e+00 : f64, max = 2.550000e+02 : f64}
// INTEGER: func.return {{%.*}} : tensor<1x8xi8>
func.func @main(%x: tensor<1x8xf32> {loomir.name = "x"}) -> (tensor<1x8xf32> {loomir.name = "y"}) {
  %low = ov.constant dense<-32.0> : tensor<f32> : tensor<f32>
  %high = ov.constant dense<31.75> : tensor<f32> : tensor<f32>
  %q = ov.fake_quantize %x, %low, %high, %low, %high {levels = 256 : i64} : (tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x8xf32>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %most = ov.constant dense<63.75> : tensor<f32> : tensor<f32>
  %r = ov.fake_quantize %q, %zero, %most, %zero, %most {levels = 256 : i64} : (tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x8xf32>
  func.return %r : tensor<1x8xf32>
}

// -----

// What is integers stays so: the interface says what they stand for. Here a FakeQuantize makes floats of them, moved before.
// CHECK-LABEL: func.func @main(%x: tensor<2x4xi8>
// CHECK-SAME: loomir.scale = 5.000000e-01 : f64, loomir.zero_point = -64 : i64
// CHECK-SAME: -> (tensor<4x2xf32> {loomir.name = "y"})
func.func @main(%x: tensor<2x4xi8> {loomir.name = "x"}) -> (tensor<4x2xf32> {loomir.name = "y"}) {
  %f = ov.convert %x {destination_type = f32} : (tensor<2x4xi8>) -> tensor<2x4xf32>
  %order = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %t = ov.transpose %f, %order : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  %il = ov.constant dense<-128.0> : tensor<f32> : tensor<f32>
  %ih = ov.constant dense<127.0> : tensor<f32> : tensor<f32>
  %ol = ov.constant dense<-32.0> : tensor<f32> : tensor<f32>
  %oh = ov.constant dense<95.5> : tensor<f32> : tensor<f32>
  %q = ov.fake_quantize %t, %il, %ih, %ol, %oh {levels = 256 : i64} : (tensor<4x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x2xf32>
  %y = ov.sin %q : (tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}

// -----

// Somebody reads the floats as they are: they stay floats. So they do where a scale is not known, and where there are two.
// CHECK-LABEL: func.func @main(%x: tensor<4xf32> {loomir.name = "x"}, %z: tensor<4xf32> {loomir.name = "z"}, %s: tensor<f32> {loomir.name = "s"}
// CHECK-SAME: -> (tensor<4xf32> {loomir.name = "y"}, tensor<4xi8> {loomir.name = "q"}, tensor<4xui8> {loomir.name = "u", loomir.scale = 5.000000e-01 : f64, loomir.zero_point = 3 : i64})
func.func @main(%x: tensor<4xf32> {loomir.name = "x"}, %z: tensor<4xf32> {loomir.name = "z"}, %s: tensor<f32> {loomir.name = "s"}) -> (tensor<4xf32> {loomir.name = "y"}, tensor<4xi8> {loomir.name = "q"}, tensor<4xui8> {loomir.name = "u"}) {
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %three = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
  %a = ov.divide %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = ov.round %a : (tensor<4xf32>) -> tensor<4xf32>
  %c = ov.add %b, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u = ov.convert %c {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  %d = ov.divide %z, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = ov.round %d : (tensor<4xf32>) -> tensor<4xf32>
  %q = ov.convert %e {destination_type = i8} : (tensor<4xf32>) -> tensor<4xi8>
  %y = ov.add %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y, %q, %u : tensor<4xf32>, tensor<4xi8>, tensor<4xui8>
}
