// RUN: loomir-opt %s -p ov-fuse-swish | filecheck %s
// RUN: loomir-opt %s -p ov-fuse-swish --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: @sigmoid(
func.func @sigmoid(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %y = ov.swish %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %s = ov.sigmoid %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @sigmoid_first(
func.func @sigmoid_first(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %y = ov.swish %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %s = ov.sigmoid %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %s, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @quotient(
func.func @quotient(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %y = ov.swish %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %one, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @scaled_quotient(
func.func @scaled_quotient(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %k = ov.constant dense<1.500000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<1.500000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %y = ov.swish %x, %[[V0]] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %k = ov.constant dense<1.5> : tensor<f32> : tensor<f32>
  %k1 = ov.multiply %k, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %n = ov.negative %k1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %e, %one : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// The sign is in the constant; without any, β is negative.
// CHECK-LABEL: @sign_in_the_factor(
func.func @sign_in_the_factor(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %k = ov.constant dense<-1.500000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<1.500000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %y = ov.swish %x, %[[V0]] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %k = ov.constant dense<-1.5> : tensor<f32> : tensor<f32>
  %n = ov.multiply %x, %k : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %e, %one : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @negative_beta(
func.func @negative_beta(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<-1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %y = ov.swish %x, %[[V0]] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %e = ov.exp %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %e, %one : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// The factor has one element and no more dimensions than x.
// CHECK-LABEL: @reciprocal(
func.func @reciprocal(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %k = ov.constant dense<2.000000e+00> : tensor<1x1xf32> : tensor<1x1xf32>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %y = ov.swish %x, %[[V0]] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %k = ov.constant dense<2.0> : tensor<1x1xf32> : tensor<1x1xf32>
  %n2 = ov.multiply %n, %k : (tensor<2x8xf32>, tensor<1x1xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n2 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %e, %one : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %r = ov.divide %one, %d : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %r, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @power(
func.func @power(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %m = ov.constant dense<-1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %y = ov.swish %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %m = ov.constant dense<-1.0> : tensor<f32> : tensor<f32>
  %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %one, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = ov.power %d, %m : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %y = ov.multiply %x, %r : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// Any float type, any shape.
// CHECK-LABEL: @half(
func.func @half(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  // CHECK-NEXT: %k = ov.constant dense<5.000000e-01> : tensor<f16> : tensor<f16>
  // CHECK-NEXT: %[[V0:[0-9]+]] = ov.constant dense<5.000000e-01> : tensor<f16> : tensor<f16>
  // CHECK-NEXT: %y = ov.swish %x, %[[V0]] : (tensor<?x8xf16>, tensor<f16>) -> tensor<?x8xf16>
  // CHECK-NEXT: func.return %y : tensor<?x8xf16>
  %k = ov.constant dense<0.5> : tensor<f16> : tensor<f16>
  %k1 = ov.multiply %x, %k : (tensor<?x8xf16>, tensor<f16>) -> tensor<?x8xf16>
  %s = ov.sigmoid %k1 : (tensor<?x8xf16>) -> tensor<?x8xf16>
  %y = ov.multiply %x, %s : (tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x8xf16>
  func.return %y : tensor<?x8xf16>
}

// CHECK-LABEL: @bfloat(
func.func @bfloat(%x: tensor<*xbf16>) -> tensor<*xbf16> {
  // CHECK-NEXT: %y = ov.swish %x : (tensor<*xbf16>) -> tensor<*xbf16>
  // CHECK-NEXT: func.return %y : tensor<*xbf16>
  %s = ov.sigmoid %x : (tensor<*xbf16>) -> tensor<*xbf16>
  %y = ov.multiply %x, %s : (tensor<*xbf16>, tensor<*xbf16>) -> tensor<*xbf16>
  func.return %y : tensor<*xbf16>
}

// In bodies of branches and loops.
// CHECK-LABEL: @bodies(
func.func @bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %y = ov.if %c -> (tensor<8xf32>) {
  // CHECK-NEXT: %p = ov.swish %x : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: ov.yield %p : tensor<8xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
  // CHECK-NEXT: %q = ov.swish %v : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: ov.next carried(%q : tensor<8xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: ov.yield %l : tensor<8xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y : tensor<8xf32>
  %y = ov.if %c -> (tensor<8xf32>) {
    %s = ov.sigmoid %x : (tensor<8xf32>) -> tensor<8xf32>
    %p = ov.multiply %x, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ov.yield %p : tensor<8xf32>
  } else {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
      %t = ov.sigmoid %v : (tensor<8xf32>) -> tensor<8xf32>
      %q = ov.multiply %t, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      ov.next carried(%q : tensor<8xf32>)
    }
    ov.yield %l : tensor<8xf32>
  }
  func.return %y : tensor<8xf32>
}

// It is computed once, in front of the loop, and would be in each iteration.
// REMARK-DAG: ov-fuse-swish: left: ov.multiply: ov.sigmoid is computed outside of the body
// CHECK-LABEL: @outside(
func.func @outside(%n: tensor<i64>, %x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %s = ov.sigmoid %x : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
  // CHECK-NEXT: %p = ov.multiply %x, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %q = ov.add %v, %p : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: ov.next carried(%q : tensor<8xf32>)
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y : tensor<8xf32>
  %s = ov.sigmoid %x : (tensor<8xf32>) -> tensor<8xf32>
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
    %p = ov.multiply %x, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %q = ov.add %v, %p : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ov.next carried(%q : tensor<8xf32>)
  }
  func.return %y : tensor<8xf32>
}

// REMARK-DAG: ov-fuse-swish: left: ov.multiply: ov.sigmoid has other uses: nothing would be saved
// CHECK-LABEL: @other_uses(
func.func @other_uses(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %s = ov.sigmoid %x : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %y = ov.multiply %x, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: func.return %y, %s : tensor<8xf32>, tensor<8xf32>
  %s = ov.sigmoid %x : (tensor<8xf32>) -> tensor<8xf32>
  %y = ov.multiply %x, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y, %s : tensor<8xf32>, tensor<8xf32>
}

// Near misses: a function of another value, another term, another numerator, more than one β or one that is not constant.
// CHECK-LABEL: @another_value(
func.func @another_value(%x: tensor<2x8xf32>, %z: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %s = ov.sigmoid %z : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %s = ov.sigmoid %z : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @another_term(
func.func @another_term(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %two = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %d = ov.add %two, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %two, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @another_numerator(
func.func @another_numerator(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %two = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %d = ov.add %one, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %r = ov.divide %two, %d : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %y = ov.multiply %x, %r : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %one, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = ov.divide %two, %d : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %x, %r : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @upside_down(
func.func @upside_down(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %one = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %d = ov.add %one, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %y = ov.divide %d, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %n = ov.negative %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ov.add %one, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.divide %d, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @betas(
func.func @betas(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %k = ov.constant dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 2.000000e+00]> : tensor<8xf32> : tensor<8xf32>
  // CHECK-NEXT: %k1 = ov.multiply %x, %k : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %s = ov.sigmoid %k1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %k = ov.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]> : tensor<8xf32> : tensor<8xf32>
  %k1 = ov.multiply %x, %k : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %s = ov.sigmoid %k1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// CHECK-LABEL: @unknown_beta(
func.func @unknown_beta(%x: tensor<2x8xf32>, %k: tensor<f32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %k1 = ov.multiply %x, %k : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %s = ov.sigmoid %k1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: func.return %y : tensor<2x8xf32>
  %k1 = ov.multiply %x, %k : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %s = ov.sigmoid %k1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ov.multiply %x, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

// β has more dimensions than x: the result would be larger than the swish.
// CHECK-LABEL: @enlarging(
func.func @enlarging(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  // CHECK-NEXT: %k = ov.constant dense<2.000000e+00> : tensor<1x1xf32> : tensor<1x1xf32>
  // CHECK-NEXT: %k1 = ov.multiply %x, %k : (tensor<8xf32>, tensor<1x1xf32>) -> tensor<1x8xf32>
  // CHECK-NEXT: %s = ov.sigmoid %k1 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  // CHECK-NEXT: %y = ov.multiply %x, %s : (tensor<8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  // CHECK-NEXT: func.return %y : tensor<1x8xf32>
  %k = ov.constant dense<2.0> : tensor<1x1xf32> : tensor<1x1xf32>
  %k1 = ov.multiply %x, %k : (tensor<8xf32>, tensor<1x1xf32>) -> tensor<1x8xf32>
  %s = ov.sigmoid %k1 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %y = ov.multiply %x, %s : (tensor<8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// REMARK-DAG: ov-fuse-swish: left: ov.multiply: 1000000.0 is not a finite f16
// CHECK-LABEL: @overflow(
func.func @overflow(%x: tensor<8xf16>) -> tensor<8xf16> {
  // CHECK-NEXT: %k = ov.constant dense<1.000000e+03> : tensor<f16> : tensor<f16>
  // CHECK-NEXT: %k1 = ov.multiply %x, %k : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
  // CHECK-NEXT: %k2 = ov.multiply %k1, %k : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
  // CHECK-NEXT: %s = ov.sigmoid %k2 : (tensor<8xf16>) -> tensor<8xf16>
  // CHECK-NEXT: %y = ov.multiply %x, %s : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  // CHECK-NEXT: func.return %y : tensor<8xf16>
  %k = ov.constant dense<1000.0> : tensor<f16> : tensor<f16>
  %k1 = ov.multiply %x, %k : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
  %k2 = ov.multiply %k1, %k : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
  %s = ov.sigmoid %k2 : (tensor<8xf16>) -> tensor<8xf16>
  %y = ov.multiply %x, %s : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  func.return %y : tensor<8xf16>
}
