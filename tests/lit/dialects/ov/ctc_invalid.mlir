// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%x: tensor<2x7x5xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{sequence_length of ov.ctc_greedy_decoder_seq_len has N = 3, elsewhere it is 2 [ctc-shapes]}}
  %c, %l = ov.ctc_greedy_decoder_seq_len %x, %n : (tensor<2x7x5xf32>, tensor<3xi32>) -> (tensor<2x7xi32>, tensor<2xi32>)
  func.return
}

// -----

func.func @f1(%x: tensor<7x2x5xf32>, %m: tensor<7x2xf16>) {
  // expected-error@+1 {{[element-types-differ]}}
  %c = ov.ctc_greedy_decoder %x, %m : (tensor<7x2x5xf32>, tensor<7x2xf16>) -> tensor<2x7x1x1xf32>
  func.return
}
