// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<4x2xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{[rnn-shape]}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @f1(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{[rnn-activation]}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {activations = ["gelu"], hidden_size = 4 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}
