// RUN: loomir-opt %s --verify-diagnostics --split-input-file

// An operand that is no tensor.
func.func @scalar(%a: tensor<2xf32>, %b: i32) -> tensor<2xf32> {
  // expected-error@+1 {{i32 is not a tensor}}
  %s = ov.add %a, %b : (tensor<2xf32>, i32) -> tensor<2xf32>
  func.return %s : tensor<2xf32>
}

// -----

// A sequence where elements are computed.
func.func @sequence(%a: !ovseq.sequence<tensor<2xf32>>) -> tensor<2xf32> {
  // expected-error@+1 {{!ovseq.sequence<tensor<2xf32>> is not a tensor}}
  %s = ov.sin %a : (!ovseq.sequence<tensor<2xf32>>) -> tensor<2xf32>
  func.return %s : tensor<2xf32>
}

// -----

func.func @result(%a: tensor<2xf32>) -> f32 {
  // expected-error@+1 {{f32 is not a tensor}}
  %s = ov.sin %a : (tensor<2xf32>) -> f32
  func.return %s : f32
}
