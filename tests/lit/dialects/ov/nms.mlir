// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @hard(%b: tensor<2x9x4xf32>, %s: tensor<2x3x9xf32>, %m: tensor<i64>, %t: tensor<f32>) {
  // CHECK-LABEL: @hard
  // CHECK: ov.non_max_suppression %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}} : (tensor<2x9x4xf32>, tensor<2x3x9xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?x3xf32>, tensor<1xi64>)
  %i, %v, %n = ov.non_max_suppression %b, %s, %m, %t, %t : (tensor<2x9x4xf32>, tensor<2x3x9xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?x3xf32>, tensor<1xi64>)
  func.return
}

func.func @soft(%b: tensor<2x?x4xf16>, %s: tensor<?x3x9xf16>, %m: tensor<1xi32>, %t: tensor<1xf32>) {
  // CHECK-LABEL: @soft
  // CHECK: ov.non_max_suppression %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}}, %{{[a-z]}} {box_encoding = "center", sort_result_descending = false, drop_above_threshold = true, output_type = i32} : (tensor<2x?x4xf16>, tensor<?x3x9xf16>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<?x3xi32>, tensor<?x3xf32>, tensor<1xi32>)
  %i, %v, %n = ov.non_max_suppression %b, %s, %m, %t, %t, %t {box_encoding = "center", sort_result_descending = false, drop_above_threshold = true, output_type = i32} : (tensor<2x?x4xf16>, tensor<?x3x9xf16>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<?x3xi32>, tensor<?x3xf32>, tensor<1xi32>)
  func.return
}
