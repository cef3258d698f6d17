// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f(%a: tensor<4x5xi1>, %s: tensor<f16>, %u: tensor<*xi32>) {
  // CHECK-LABEL: @f
  // CHECK: ov.non_zero %{{[0-9a-z]+}} : (tensor<4x5xi1>) -> tensor<2x?xi64>
  %0 = ov.non_zero %a : (tensor<4x5xi1>) -> tensor<2x?xi64>
  // CHECK: ov.non_zero %{{[0-9a-z]+}} {output_type = i32} : (tensor<f16>) -> tensor<1x?xi32>
  %1 = ov.non_zero %s {output_type = i32} : (tensor<f16>) -> tensor<1x?xi32>
  // CHECK: ov.non_zero %{{[0-9a-z]+}} : (tensor<*xi32>) -> tensor<?x?xi64>
  %2 = ov.non_zero %u : (tensor<*xi32>) -> tensor<?x?xi64>
  func.return
}
