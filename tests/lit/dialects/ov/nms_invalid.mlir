// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%b: tensor<2x9x4xf32>, %s: tensor<2x3x8xf32>, %m: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{scores of ov.non_max_suppression has boxes = 8, elsewhere it is 9 [nms-shapes]}}
  %i, %v, %n = ov.non_max_suppression %b, %s, %m, %t, %t : (tensor<2x9x4xf32>, tensor<2x3x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?x3xf32>, tensor<1xi64>)
  func.return
}

// -----

func.func @f1(%b: tensor<2x9x4xf64>, %s: tensor<2x3x9xf64>, %m: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{'boxes' has element type f64, expected f32, f16 or bf16 [element-type]}}
  %i, %v, %n = ov.non_max_suppression %b, %s, %m, %t, %t : (tensor<2x9x4xf64>, tensor<2x3x9xf64>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?x3xf32>, tensor<1xi64>)
  func.return
}

// -----

func.func @f2(%b: tensor<2x9x4xf32>, %s: tensor<2x3x9xf32>, %m: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{box_encoding is 'edges', expected corner or center [attribute-value]}}
  %i, %v, %n = ov.non_max_suppression %b, %s, %m, %t, %t {box_encoding = "edges"} : (tensor<2x9x4xf32>, tensor<2x3x9xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?x3xf32>, tensor<1xi64>)
  func.return
}

// -----

func.func @f3(%b: tensor<2x9x4xf32>, %s: tensor<2x3x9xf32>, %m: tensor<i64>, %t: tensor<2xf32>) {
  // expected-error@+1 {{iou_threshold must be one number, not 2 [operand-rank]}}
  %i, %v, %n = ov.non_max_suppression %b, %s, %m, %t, %t : (tensor<2x9x4xf32>, tensor<2x3x9xf32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x3xi64>, tensor<?x3xf32>, tensor<1xi64>)
  func.return
}
