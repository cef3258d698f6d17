// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s
// RUN: loomir-opt %s -p ov-decompose | filecheck %s --check-prefix=CORE

func.func @lengths(%x: tensor<2x?x5xf32>, %n: tensor<?xi32>, %b: tensor<i64>) {
  // CHECK-LABEL: @lengths
  // CHECK: ov.ctc_greedy_decoder_seq_len %x, %n : (tensor<2x?x5xf32>, tensor<?xi32>) -> (tensor<2x?xi32>, tensor<2xi32>)
  %c, %l = ov.ctc_greedy_decoder_seq_len %x, %n : (tensor<2x?x5xf32>, tensor<?xi32>) -> (tensor<2x?xi32>, tensor<2xi32>)
  // CHECK: ov.ctc_greedy_decoder_seq_len %x, %n, %b {merge_repeated = false, classes_index_type = i64, sequence_length_type = i64} : (tensor<2x?x5xf32>, tensor<?xi32>, tensor<i64>) -> (tensor<2x?xi64>, tensor<2xi64>)
  %d, %m = ov.ctc_greedy_decoder_seq_len %x, %n, %b {merge_repeated = false, classes_index_type = i64, sequence_length_type = i64} : (tensor<2x?x5xf32>, tensor<?xi32>, tensor<i64>) -> (tensor<2x?xi64>, tensor<2xi64>)
  func.return
}

func.func @mask(%x: tensor<7x2x5xf16>, %m: tensor<7x2xf16>) -> tensor<2x7x1x1xf16> {
  // CHECK-LABEL: @mask
  // CHECK: ov.ctc_greedy_decoder %x, %m {merge_repeated = false} : (tensor<7x2x5xf16>, tensor<7x2xf16>) -> tensor<2x7x1x1xf16>
  // CORE-LABEL: @mask
  // CORE-NOT: ov.ctc_greedy_decoder %
  // CORE: ov.ctc_greedy_decoder_seq_len
  %c = ov.ctc_greedy_decoder %x, %m {merge_repeated = false} : (tensor<7x2x5xf16>, tensor<7x2xf16>) -> tensor<2x7x1x1xf16>
  func.return %c : tensor<2x7x1x1xf16>
}
