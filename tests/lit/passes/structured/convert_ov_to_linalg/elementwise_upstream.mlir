// RUN: loomir-opt %s -p ov-bound-shapes,convert-ov-loop-to-scf,convert-ov-to-linalg | mlir-opt-22 | filecheck %s
// REQUIRES: mlir-opt

// Upstream knows the functions of `math` and the casts of bits that elementwise operations become.
// CHECK-LABEL: func.func @main
// CHECK:       math.acosh
// CHECK:       math.erf
// CHECK:       math.roundeven
// CHECK:       math.round
// CHECK:       arith.bitcast {{.*}} : bf16 to i16
// CHECK:       arith.bitcast {{.*}} : i16 to f16
// CHECK:       arith.minui
// CHECK:       arith.shrsi
func.func @main(%x: tensor<3xf32> {loomir.name = "x"}, %b: tensor<3xbf16> {loomir.name = "b"}, %n: tensor<3xi32> {loomir.name = "n"})
    -> (tensor<3xf32> {loomir.name = "y"}, tensor<3xf16> {loomir.name = "z"}, tensor<3xi32> {loomir.name = "m"}) {
  %0 = ov.sin %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = ov.cos %0 : (tensor<3xf32>) -> tensor<3xf32>
  %2 = ov.tan %1 : (tensor<3xf32>) -> tensor<3xf32>
  %3 = ov.asin %2 : (tensor<3xf32>) -> tensor<3xf32>
  %4 = ov.acos %3 : (tensor<3xf32>) -> tensor<3xf32>
  %5 = ov.atan %4 : (tensor<3xf32>) -> tensor<3xf32>
  %6 = ov.sinh %5 : (tensor<3xf32>) -> tensor<3xf32>
  %7 = ov.cosh %6 : (tensor<3xf32>) -> tensor<3xf32>
  %8 = ov.asinh %7 : (tensor<3xf32>) -> tensor<3xf32>
  %9 = ov.acosh %8 : (tensor<3xf32>) -> tensor<3xf32>
  %10 = ov.atanh %9 : (tensor<3xf32>) -> tensor<3xf32>
  %11 = ov.erf %10 : (tensor<3xf32>) -> tensor<3xf32>
  %12 = ov.round %11 : (tensor<3xf32>) -> tensor<3xf32>
  %13 = ov.round %12 {mode = "half_away_from_zero"} : (tensor<3xf32>) -> tensor<3xf32>
  %14 = ov.bit_cast %b {destination_type = f16} : (tensor<3xbf16>) -> tensor<3xf16>
  %15 = ov.bitwise_right_shift %n, %n : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  func.return %13, %14, %15 : tensor<3xf32>, tensor<3xf16>, tensor<3xi32>
}
