// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<1x2x8xf32>) {
  // expected-error@+1 {{[pooling-shapes]}}
  %r = ov.avg_pool %a {kernel = array<i64: 2, 2>} : (tensor<1x2x8xf32>) -> tensor<1x2x7xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<1x2x8xf32>) {
  // expected-error@+1 {{[window-attributes]}}
  %r = ov.avg_pool %a {kernel = array<i64: 2>, pads_begin = array<i64: -1>} : (tensor<1x2x8xf32>) -> tensor<1x2x7xf32>
  func.return
}

// -----

func.func @f2(%a: tensor<1x2x8xf32>) {
  // expected-error@+1 {{[axis-range]}}
  %x, %y = ov.max_pool %a {kernel = array<i64: 2>, axis = 3 : i64} : (tensor<1x2x8xf32>) -> (tensor<1x2x7xf32>, tensor<1x2x7xi64>)
  func.return
}
