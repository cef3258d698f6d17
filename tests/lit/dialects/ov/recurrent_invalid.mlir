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

// -----

// The lengths of the sequences are told from the other operands by their place: here a state is the same value.
func.func @state_and_lengths(%x: tensor<2x5x3xf32>, %h: tensor<*xi32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: tensor<1x12xf32>) {
  // expected-error@+1 {{operand 1 has elements of type i32, but operand 0 of f32 [element-types-differ]}}
  %y, %s = ov.gru_sequence %x, %h, %h, %w, %r, %b {direction = "forward", hidden_size = 4 : i64} : (tensor<2x5x3xf32>, tensor<*xi32>, tensor<*xi32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x12xf32>) -> (tensor<2x1x5x4xf32>, tensor<2x1x4xf32>)
  func.return
}
