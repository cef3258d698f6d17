// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2xf32>) {
  // expected-error@+1 {{[axis-range]}}
  %r = ov.softmax %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xi32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.log_softmax %a : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

func.func @f2(%a: tensor<2xi32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.mvn %a, %b {eps = 0.1 : f64} : (tensor<2xi32>, tensor<1xi64>) -> tensor<2xi32>
  func.return
}

// -----

func.func @f3(%a: tensor<2x6x4xf32>, %b: tensor<1x1xi64>) {
  // expected-error@+1 {{[reduction-axes]}}
  %r = ov.mvn %a, %b {eps = 0.1 : f64} : (tensor<2x6x4xf32>, tensor<1x1xi64>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f4(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.mvn %a, %b {eps = 0.1 : f64, eps_mode = "inside"} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f5(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.normalize_l2 %a, %b {eps = 0.1 : f64, eps_mode = "sum"} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f6(%a: tensor<2x6x4xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.normalize_l2 %a, %b {eps = 0.1 : f64, eps_mode = "add"} : (tensor<2x6x4xf32>, tensor<1xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f7(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>, %c: tensor<1x1x1x4xf32>) {
  // expected-error@+1 {{[broadcast-shapes]}}
  %r = ov.rms %a, %b, %c {epsilon = 0.1 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>, tensor<1x1x1x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f8(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>, %c: tensor<4xf16>) {
  // expected-error@+1 {{[element-types-differ]}}
  %r = ov.rms %a, %b, %c {epsilon = 0.1 : f64} : (tensor<2x6x4xf32>, tensor<1xi64>, tensor<4xf16>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f9(%a: tensor<2x6x4xf32>, %b: tensor<1xi64>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.lrn %a, %b {alpha = 1.0 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 0 : i64} : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f10(%a: tensor<6xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>) {
  // expected-error@+1 {{[normalisation-shapes]}}
  %r = ov.batch_norm_inference %a, %b, %c, %d, %e {epsilon = 0.1 : f64} : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @f11(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<5xf32>) {
  // expected-error@+1 {{[normalisation-shapes]}}
  %r = ov.batch_norm_inference %a, %b, %c, %d, %e {epsilon = 0.1 : f64} : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f12(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.batch_norm_inference %a, %b, %c, %d, %e {epsilon = -0.1 : f64} : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f13(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error@+1 {{[normalisation-shapes]}}
  %r = ov.group_normalization %a, %b, %c {epsilon = 0.1 : f64, num_groups = 4 : i64} : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @f14(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.group_normalization %a, %b, %c {epsilon = 0.1 : f64, num_groups = 0 : i64} : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  func.return
}
