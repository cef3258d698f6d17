// RUN: loomir-opt %s -p 'ov-to-integer,ov-fold-constants,canonicalize' --split-input-file | filecheck %s

// A convolution of quantised tensors by integers with a scale for each channel: sums in 32 bits, the bias in steps of these, one
// multiplication and one shift for each result, with what is left of the bias in the addend (-833 1/3 steps). The levels of an input that
// has as many are the input.
// CHECK-LABEL: func.func @main(%x: tensor<1x2x4x4xi8>)
// CHECK-NOT: f32
// CHECK: %[[Q:.*]] = ov.convert %x {destination_type = i32}
// CHECK: %[[W:.*]] = ov.constant dense<{{.*}}> : tensor<2x2x1x1xi8>
// CHECK: %[[W32:.*]] = ov.convert %[[W]] {destination_type = i32}
// CHECK: %[[C:.*]] = ov.convolution %[[Q]], %[[W32]] {{.*}} -> tensor<1x2x4x4xi32>
// CHECK: %[[BIAS:.*]] = ov.constant dense<{{\[\[\[\[}}500]], {{\[\[}}-833]]]]> : tensor<1x2x1x1xi32>
// CHECK: %[[B:.*]] = ov.add %[[C]], %[[BIAS]]
// CHECK: %[[L:.*]] = ov.convert %[[B]] {destination_type = i64}
// CHECK: %[[M32:.*]] = ov.constant {{.*}} : tensor<1x2x1x1xi32>
// CHECK: %[[M:.*]] = ov.convert %[[M32]] {{{.*}}destination_type = i64
// CHECK: %[[P:.*]] = ov.multiply %[[L]], %[[M]]
// CHECK: %[[REST32:.*]] = ov.constant dense<{{\[\[\[\[}}19200]], {{\[\[}}-171794963]]]]> : tensor<1x2x1x1xi32>
// CHECK: %[[REST:.*]] = ov.convert %[[REST32]] {{{.*}}destination_type = i64
// CHECK: %[[PB:.*]] = ov.add %[[P]], %[[REST]]
// CHECK: %[[H:.*]] = ov.add %[[PB]]
// CHECK: %[[R:.*]] = ov.bitwise_right_shift %[[H]]
// CHECK: %[[R32:.*]] = ov.convert %[[R]] {destination_type = i32}
// CHECK: %[[LIMITED:.*]] = ov.clamp %[[R32]] {min = 0.000000e+00 : f64, max = 2.550000e+02 : f64}
// CHECK: %[[Y:.*]] = ov.convert %[[LIMITED]] {destination_type = ui8}
// CHECK: func.return %[[Y]]
func.func @main(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xui8> {
  %f = ov.convert %x {destination_type = f32} : (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32>
  %il = ov.constant dense<-128.0> : tensor<f32> : tensor<f32>
  %ih = ov.constant dense<127.0> : tensor<f32> : tensor<f32>
  %ol = ov.constant dense<-6.4> : tensor<f32> : tensor<f32>
  %oh = ov.constant dense<6.35> : tensor<f32> : tensor<f32>
  %q = ov.fake_quantize %f, %il, %ih, %ol, %oh {levels = 256 : i64} : (tensor<1x2x4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %w = ov.constant dense<[[[[3]], [[-5]]], [[[100]], [[7]]]]> : tensor<2x2x1x1xi8> : tensor<2x2x1x1xi8>
  %wf = ov.convert %w {destination_type = f32} : (tensor<2x2x1x1xi8>) -> tensor<2x2x1x1xf32>
  %s = ov.constant dense<[[[[0.01]]], [[[0.003]]]]> : tensor<2x1x1x1xf32> : tensor<2x1x1x1xf32>
  %ws = ov.multiply %wf, %s : (tensor<2x2x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x2x1x1xf32>
  %c = ov.convolution %q, %ws {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b = ov.constant dense<[[[[0.25]], [[-0.125]]]]> : tensor<1x2x1x1xf32> : tensor<1x2x1x1xf32>
  %cb = ov.add %c, %b : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %z = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %m = ov.constant dense<5.1> : tensor<f32> : tensor<f32>
  %l = ov.constant dense<255.0> : tensor<f32> : tensor<f32>
  %y = ov.fake_quantize %cb, %z, %m, %z, %l {levels = 256 : i64} : (tensor<1x2x4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %r = ov.convert %y {destination_type = ui8} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xui8>
  func.return %r : tensor<1x2x4x4xui8>
}

// -----

// No rule for sine: floats are made of the integers for it, and from it they go on.
// CHECK-LABEL: func.func @main(%x: tensor<4xi8>)
// CHECK: %[[F:.*]] = ov.convert %x {destination_type = f32}
// CHECK: %[[S:.*]] = ov.multiply %[[F]]
// CHECK: %[[SIN:.*]] = ov.sin %[[S]]
// CHECK: func.return %[[SIN]]
func.func @main(%x: tensor<4xi8>) -> tensor<4xf32> {
  %f = ov.convert %x {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  %s = ov.constant dense<0.05> : tensor<f32> : tensor<f32>
  %m = ov.multiply %f, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = ov.sin %m : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// The exponentials of a softmax come from a table: 1, 0.95123, 0.90484 … = exp(-k · 0.05).
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: ov.exp
// CHECK: %[[TABLE:.*]] = ov.constant dense<"0x0000803FC683733F6DA3673F{{.*}}"> : tensor<256xf32>
// CHECK: %[[Q:.*]] = ov.convert %x {destination_type = i32}
// CHECK: %[[MOST:.*]] = ov.reduce_max %[[Q]]
// CHECK: %[[BELOW:.*]] = ov.subtract %[[MOST]], %[[Q]]
// CHECK: %[[INDEX:.*]] = ov.convert %[[BELOW]] {destination_type = ui8}
// CHECK: %[[E:.*]] = ov.gather %[[TABLE]], %[[INDEX]]
// CHECK: %[[SUM:.*]] = ov.reduce_sum %[[E]]
// CHECK: ov.divide %[[E]], %[[SUM]]
func.func @softmax(%x: tensor<2x8xi8>) -> tensor<2x8xf32> {
  %f = ov.convert %x {destination_type = f32} : (tensor<2x8xi8>) -> tensor<2x8xf32>
  %scale = ov.constant dense<0.05> : tensor<f32> : tensor<f32>
  %s = ov.multiply %f, %scale : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %y = ov.softmax %s {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// -----

// Operators that compute with integers, as QLinearMatMul: sums of 32 bits times the quotient of three scales in double precision. What the
// zero point 3 adds is in the bias; the result's zero point -128 is that of an output, and stays.
// CHECK-LABEL: func.func @main(%x: tensor<2x2xi8>)
// CHECK-NOT: f64
// CHECK: %[[Q:.*]] = ov.convert %x {destination_type = i32}
// CHECK: %[[C:.*]] = ov.mat_mul %[[Q]], %{{.*}} -> tensor<2x2xi32>
// CHECK: %[[BIAS:.*]] = ov.constant dense<[-21, 6]> : tensor<2xi32>
// CHECK: %[[B:.*]] = ov.add %[[C]], %[[BIAS]]
// CHECK: ov.multiply
// CHECK: %[[R:.*]] = ov.bitwise_right_shift
// CHECK: ov.clamp %{{.*}} {min = -1.280000e+02 : f64, max = 1.270000e+02 : f64}
// CHECK: %[[Y:.*]] = ov.convert %{{.*}} {destination_type = i8}
// CHECK: func.return %[[Y]]
func.func @main(%x: tensor<2x2xi8>) -> tensor<2x2xi8> {
  %q = ov.convert %x {destination_type = i32} : (tensor<2x2xi8>) -> tensor<2x2xi32>
  %z = ov.constant dense<3> : tensor<i32> : tensor<i32>
  %c = ov.subtract %q, %z : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  %w = ov.constant dense<[[3, -5], [4, 3]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %w32 = ov.convert %w {destination_type = i32} : (tensor<2x2xi8>) -> tensor<2x2xi32>
  %p = ov.mat_mul %c, %w32 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %d = ov.convert %p {destination_type = f64} : (tensor<2x2xi32>) -> tensor<2x2xf64>
  %a = ov.constant dense<0.03> : tensor<f32> : tensor<f32>
  %b = ov.constant dense<0.7> : tensor<f32> : tensor<f32>
  %a64 = ov.convert %a {destination_type = f64} : (tensor<f32>) -> tensor<f64>
  %b64 = ov.convert %b {destination_type = f64} : (tensor<f32>) -> tensor<f64>
  %f = ov.divide %a64, %b64 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %r = ov.multiply %d, %f : (tensor<2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
  %n = ov.round %r {mode = "half_to_even"} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %o = ov.constant dense<-128.0> : tensor<f64> : tensor<f64>
  %s = ov.add %n, %o : (tensor<2x2xf64>, tensor<f64>) -> tensor<2x2xf64>
  %y = ov.convert %s {destination_type = i8, saturate = true} : (tensor<2x2xf64>) -> tensor<2x2xi8>
  func.return %y : tensor<2x2xi8>
}

// -----

// What a loop carries is integers where each iteration gives a quantised tensor, and the first value is a constant that integers stand for;
// so is what it gives, joined. Between the quantisations is no float.
// CHECK-LABEL: func.func @carried
// CHECK: %[[START:.*]] = ov.constant dense<3> : tensor<2xi8>
// CHECK: %[[R:.*]], %[[ALL:.*]] = ov.loop trip(%n) carried(%[[START]]) sliced(%x) {{.*}} : (tensor<i64>, tensor<2xi8>, tensor<5x2xi8>) -> (tensor<2xi8>, tensor<?x2xi8>)
// CHECK-NEXT: ^{{.*}}(%{{.*}}: tensor<i64>, %[[V:.*]]: tensor<2xi8>, %[[PART:.*]]: tensor<1x2xi8>)
// CHECK-NOT: f32
// CHECK: ov.next carried(%{{.*}} : tensor<2xi8>) concat(%{{.*}} : tensor<1x2xi8>)
// CHECK: %[[F:.*]] = ov.convert %{{.*}} {destination_type = f32}
func.func @carried(%x: tensor<5x2xi8>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %xf = ov.convert %x {destination_type = f32} : (tensor<5x2xi8>) -> tensor<5x2xf32>
  %half = ov.constant dense<0.5> : tensor<f32> : tensor<f32>
  %xs = ov.multiply %xf, %half : (tensor<5x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  %zero = ov.constant dense<0.0> : tensor<2xf32> : tensor<2xf32>
  %r, %all = ov.loop trip(%n) carried(%zero) sliced(%xs) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>, %part: tensor<1x2xf32>):
    %one = ov.constant dense<[2]> : tensor<1xi64> : tensor<1xi64>
    %p = ov.reshape %part, %one {special_zero = false} : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    %s = ov.add %v, %p : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %quarter = ov.constant dense<0.25> : tensor<f32> : tensor<f32>
    %d = ov.divide %s, %quarter : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %round = ov.round %d : (tensor<2xf32>) -> tensor<2xf32>
    %three = ov.constant dense<3.0> : tensor<f32> : tensor<f32>
    %o = ov.add %round, %three : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %q = ov.convert %o {destination_type = i8, saturate = true} : (tensor<2xf32>) -> tensor<2xi8>
    %f = ov.convert %q {destination_type = f32} : (tensor<2xi8>) -> tensor<2xf32>
    %c = ov.subtract %f, %three : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %w = ov.multiply %c, %quarter : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %shape = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
    %row = ov.reshape %w, %shape {special_zero = false} : (tensor<2xf32>, tensor<2xi64>) -> tensor<1x2xf32>
    ov.next carried(%w : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r, %all : tensor<2xf32>, tensor<?x2xf32>
}
