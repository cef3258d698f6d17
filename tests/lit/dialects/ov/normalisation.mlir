// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}} = ov.softmax %{{[0-9a-z]+}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %x = ov.softmax %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

func.func @f1(%a: tensor<*xf16>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}} = ov.softmax %{{[0-9a-z]+}} {axis = -2 : i64} : (tensor<*xf16>) -> tensor<*xf16>
  %x = ov.softmax %a {axis = -2 : i64} : (tensor<*xf16>) -> tensor<*xf16>
  func.return
}

func.func @f2(%a: tensor<2x?xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.log_softmax %{{[0-9a-z]+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %x = ov.log_softmax %a : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}

func.func @f3(%a: tensor<f32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}} = ov.log_softmax %{{[0-9a-z]+}} {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  %x = ov.log_softmax %a {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  func.return
}

func.func @f4(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.mvn %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {eps = 1.000000e-03 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  %x = ov.mvn %a, %b {eps = 0.001 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

func.func @f5(%a: tensor<?x3xf16>, %b: tensor<i32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}} = ov.mvn %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {eps = 5.000000e-01 : f64, eps_mode = "outside_sqrt", normalize_variance = false} : (tensor<?x3xf16>, tensor<i32>) -> tensor<?x3xf16>
  %x = ov.mvn %a, %b {eps = 0.5 : f64, eps_mode = "outside_sqrt", normalize_variance = false} : (tensor<?x3xf16>, tensor<i32>) -> tensor<?x3xf16>
  func.return
}

func.func @f6(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f6
  // CHECK: %{{[0-9a-z]+}} = ov.normalize_l2 %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {eps = 1.000000e-03 : f64, eps_mode = "max"} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  %x = ov.normalize_l2 %a, %b {eps = 0.001 : f64, eps_mode = "max"} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

func.func @f7(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f7
  // CHECK: %{{[0-9a-z]+}} = ov.rms %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {epsilon = 1.000000e-03 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  %x = ov.rms %a, %b {epsilon = 0.001 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

func.func @f8(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>, %c: tensor<4xf32>) {
  // CHECK-LABEL: @f8
  // CHECK: %{{[0-9a-z]+}} = ov.rms %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {compute_type = "f32", epsilon = 1.000000e-03 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>, tensor<4xf32>) -> tensor<2x6x4xf32>
  %x = ov.rms %a, %b, %c {compute_type = "f32", epsilon = 0.001 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>, tensor<4xf32>) -> tensor<2x6x4xf32>
  func.return
}

func.func @f9(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // CHECK-LABEL: @f9
  // CHECK: %{{[0-9a-z]+}} = ov.lrn %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {alpha = 1.000000e+00 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64, size = 5 : i64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  %x = ov.lrn %a, %b {alpha = 1.0 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 5 : i64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

func.func @f10(%a: tensor<2x?x4xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>) {
  // CHECK-LABEL: @f10
  // CHECK: %{{[0-9a-z]+}} = ov.batch_norm_inference %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {epsilon = 1.000000e-03 : f64} : (tensor<2x?x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  %x = ov.batch_norm_inference %a, %b, %c, %d, %e {epsilon = 0.001 : f64} : (tensor<2x?x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  func.return
}

func.func @f11(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<?xf32>) {
  // CHECK-LABEL: @f11
  // CHECK: %{{[0-9a-z]+}} = ov.group_normalization %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {epsilon = 1.000000e-03 : f64, num_groups = 3 : i64} : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<?xf32>) -> tensor<2x6x4xf32>
  %x = ov.group_normalization %a, %b, %c {epsilon = 0.001 : f64, num_groups = 3 : i64} : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<?xf32>) -> tensor<2x6x4xf32>
  func.return
}
