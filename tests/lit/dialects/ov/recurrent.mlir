// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>, %b: tensor<16xf32>) {
  // CHECK-LABEL: @f0
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.lstm_cell %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %0, %1 = ov.lstm_cell %x, %h, %h, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  func.return
}

func.func @f1(%x: tensor<2x?x3xf32>, %h: tensor<2x1x4xf32>, %l: tensor<2xi32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x16xf32>, %p: tensor<1x12xf32>) {
  // CHECK-LABEL: @f1
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.lstm_sequence %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {activations_alpha = array<f64: 5.000000e-01>, direction = "reverse", hidden_size = 4 : i64, input_forget = true} : (tensor<2x?x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2xi32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>, tensor<1x12xf32>) -> (tensor<2x1x?x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>)
  %0, %1, %2 = ov.lstm_sequence %x, %h, %h, %l, %w, %r, %b, %p {activations_alpha = array<f64: 5.000000e-01>, direction = "reverse", hidden_size = 4 : i64, input_forget = true} : (tensor<2x?x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2xi32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>, tensor<1x12xf32>) -> (tensor<2x1x?x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>)
  func.return
}

func.func @f2(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<12x3xf32>, %r: tensor<12x4xf32>, %b: tensor<16xf32>) {
  // CHECK-LABEL: @f2
  // CHECK: %{{[0-9a-z]+}} = ov.gru_cell %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {hidden_size = 4 : i64, linear_before_reset = true} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<16xf32>) -> tensor<2x4xf32>
  %0 = ov.gru_cell %x, %h, %w, %r, %b {hidden_size = 4 : i64, linear_before_reset = true} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<16xf32>) -> tensor<2x4xf32>
  func.return
}

func.func @f3(%x: tensor<2x5x3xf32>, %h: tensor<2x1x4xf32>, %l: tensor<2xi32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: tensor<1x12xf32>) {
  // CHECK-LABEL: @f3
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.gru_sequence %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {clip = 3.000000e+00 : f64, direction = "forward", hidden_size = 4 : i64} : (tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<2xi32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x12xf32>) -> (tensor<2x1x5x4xf32>, tensor<2x1x4xf32>)
  %0, %1 = ov.gru_sequence %x, %h, %l, %w, %r, %b {clip = 3.000000e+00 : f64, direction = "forward", hidden_size = 4 : i64} : (tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<2xi32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x12xf32>) -> (tensor<2x1x5x4xf32>, tensor<2x1x4xf32>)
  func.return
}

func.func @f4(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // CHECK-LABEL: @f4
  // CHECK: %{{[0-9a-z]+}} = ov.rnn_cell %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {activations = ["relu"], hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {activations = ["relu"], hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

func.func @f5(%x: tensor<2x5x3xf32>, %h: tensor<2x2x4xf32>, %l: tensor<2xi32>, %w: tensor<2x4x3xf32>, %r: tensor<2x4x4xf32>, %b: tensor<2x4xf32>) {
  // CHECK-LABEL: @f5
  // CHECK: %{{[0-9a-z]+}}, %{{[0-9a-z]+}} = ov.rnn_sequence %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} {direction = "bidirectional", hidden_size = 4 : i64} : (tensor<2x5x3xf32>, tensor<2x2x4xf32>, tensor<2xi32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>) -> (tensor<2x2x5x4xf32>, tensor<2x2x4xf32>)
  %0, %1 = ov.rnn_sequence %x, %h, %l, %w, %r, %b {direction = "bidirectional", hidden_size = 4 : i64} : (tensor<2x5x3xf32>, tensor<2x2x4xf32>, tensor<2xi32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>) -> (tensor<2x2x5x4xf32>, tensor<2x2x4xf32>)
  func.return
}
