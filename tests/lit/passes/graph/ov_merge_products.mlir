// RUN: loomir-opt %s -p 'ov-infer,ov-merge-products{machine=x86-64-v3}' --full-constants | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-infer,ov-merge-products{machine=x86-64-v3}' 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p 'ov-infer,ov-merge-products' | filecheck %s --check-prefix=GENERIC
// RUN: not loomir-opt %s -p 'ov-merge-products{machine=abacus}' 2>&1 | filecheck %s --check-prefix=OPTION

// OPTION: machine='abacus': unknown machine [bad-option]

// REMARK: ov-merge-products: done: ov.mat_mul: merged 3 products of one value into one of 6 columns

// GENERIC-LABEL: func.func @gates
// GENERIC-COUNT-4: ov.mat_mul

// The second weights have a row for each column. What another value is multiplied with stays.
// CHECK-LABEL: func.func @gates
// CHECK: [[W:%.*]] = ov.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 5.000000e+00, 7.000000e+00, 9.000000e+00, 1.000000e+01], [3.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00, 1.100000e+01, 1.200000e+01]]>
// CHECK: [[ALL:%.*]] = ov.mat_mul %x, [[W]] : (tensor<1x2xf32>, tensor<2x6xf32>) -> tensor<1x6xf32>
// CHECK: [[LENGTHS:%.*]] = ov.constant dense<2> : tensor<3xi64>
// CHECK: [[P:%.*]], [[Q:%.*]], [[R:%.*]] = ov.variadic_split [[ALL]], %{{.*}}, [[LENGTHS]]
// CHECK: [[Y:%.*]] = ov.mat_mul %y
// CHECK: func.return [[P]], [[Q]], [[R]], [[Y]]
func.func @gates(%x: tensor<1x2xf32>, %y: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %w0 = ov.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w1 = ov.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w2 = ov.constant dense<[[9.0, 10.0], [11.0, 12.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w3 = ov.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %p = ov.mat_mul %x, %w0 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %q = ov.mat_mul %x, %w1 {transpose_b = true} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %r = ov.mat_mul %x, %w2 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %s = ov.mat_mul %y, %w3 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  func.return %p, %q, %r, %s : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// Weights that something else reads, or that are none; four rows, which are a tile; columns as many as a tile has: all stay.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: ov.variadic_split
func.func @stay(%x: tensor<1x2xf32>, %rows: tensor<4x2xf32>, %w: tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<1x64xf32>, tensor<2x2xf32>) {
  %w0 = ov.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w1 = ov.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w2 = ov.constant dense<[[1.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w3 = ov.constant dense<[[3.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %wide = ov.constant dense<1.0> : tensor<2x64xf32> : tensor<2x64xf32>
  %a = ov.mat_mul %x, %w0 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %b = ov.mat_mul %x, %w1 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %c = ov.mat_mul %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %d = ov.mat_mul %rows, %w2 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %e = ov.mat_mul %rows, %w3 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %f = ov.mat_mul %x, %wide : (tensor<1x2xf32>, tensor<2x64xf32>) -> tensor<1x64xf32>
  %g = ov.abs %w0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %a, %b, %c, %d, %e, %f, %g : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<1x64xf32>, tensor<2x2xf32>
}
