// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<3x?x2xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.dft %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<?x?x2xf32>
  %x = ov.dft %a, %b : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<?x?x2xf32>
  // CHECK: %{{[0-9a-z]+}} = ov.idft %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3x?x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x2xf32>
  %y = ov.idft %a, %b, %b : (tensor<3x?x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x2xf32>
  // CHECK: %{{[0-9a-z]+}} = ov.rdft %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<?x?x?x2xf32>
  %z = ov.rdft %a, %b : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<?x?x?x2xf32>
  // CHECK: %{{[0-9a-z]+}} = ov.irdft %{{[0-9a-z]+}}, %{{[0-9a-z]+}} : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %w = ov.irdft %a, %b : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  func.return
}
