// RUN: loomir-opt %s --verify-diagnostics --split-input-file

func.func @v0(%x: tensor<7x2xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2 [axis-range]}}
  %a = ovseq.split %x {axis = 2 : i64} : (tensor<7x2xf32>) -> !ovseq.sequence<tensor<1x2xf32>>
  func.return
}

// -----

func.func @v1(%x: tensor<7x2xf32>) {
  %k = ov.constant dense<0> : tensor<i64> : tensor<i64>
  // expected-error@+1 {{the extent of each part is 0 [split-size]}}
  %a = ovseq.split %x, %k : (tensor<7x2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?x2xf32>>
  func.return
}

// -----

func.func @v2(%x: tensor<7x2xf32>) {
  %k = ov.constant dense<[3, 3]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{parts of 6 elements do not make up an axis of extent 7 [split-size]}}
  %a = ovseq.split %x, %k : (tensor<7x2xf32>, tensor<2xi64>) -> !ovseq.sequence<tensor<?x2xf32>>
  func.return
}

// -----

func.func @v3(%x: tensor<?xf32>) {
  %k = ov.constant dense<[3, -1]> : tensor<2xi64> : tensor<2xi64>
  // expected-error@+1 {{the extent of part 1 is -1 [split-size]}}
  %a = ovseq.split %x, %k : (tensor<?xf32>, tensor<2xi64>) -> !ovseq.sequence<tensor<?xf32>>
  func.return
}

// -----

func.func @v4(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  %s = ovseq.construct %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> !ovseq.sequence<tensor<*xf32>>
  // expected-error@+1 {{the elements have different ranks [1, 2] [concat-shape]}}
  %a = ovseq.concat %s : (!ovseq.sequence<tensor<*xf32>>) -> tensor<*xf32>
  func.return
}

// -----

func.func @v5(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  %s = ovseq.construct %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> !ovseq.sequence<tensor<2x?xf32>>
  // expected-error@+1 {{the elements have extents 3 and 4 in dimension 1 [concat-shape]}}
  %a = ovseq.concat %s : (!ovseq.sequence<tensor<2x?xf32>>) -> tensor<?x3xf32>
  func.return
}

// -----

func.func @v6(%s: !ovseq.sequence<tensor<f32>>) {
  // expected-error@+1 {{axis 0 is out of range for rank 0 [axis-range]}}
  %a = ovseq.concat %s : (!ovseq.sequence<tensor<f32>>) -> tensor<?xf32>
  func.return
}
