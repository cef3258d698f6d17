// What is no tensor, where one has to be, is told by the operands' constraints.
// RUN: loomir-opt %s --verify-diagnostics --split-input-file

func.func @insert(%s: !ovseq.sequence<tensor<2xf32>>) {
  // expected-error@+1 {{!ovseq.sequence<tensor<2xf32>> is not a tensor}}
  %y = ovseq.insert %s, %s : (!ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) -> !ovseq.sequence<tensor<2xf32>>
  func.return
}

// -----

func.func @construct(%s: !ovseq.sequence<tensor<2xf32>>) {
  // expected-error@+1 {{!ovseq.sequence<tensor<2xf32>> is not a tensor}}
  %y = ovseq.construct %s : (!ovseq.sequence<tensor<2xf32>>) -> !ovseq.sequence<tensor<2xf32>>
  func.return
}

// -----

func.func @at(%s: !ovseq.sequence<tensor<2xf32>>) {
  // expected-error@+1 {{!ovseq.sequence<tensor<2xf32>> is not a tensor}}
  %y = ovseq.at %s, %s : (!ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) -> tensor<2xf32>
  func.return
}

// -----

func.func @split(%s: !ovseq.sequence<tensor<2xf32>>) {
  // expected-error@+1 {{!ovseq.sequence<tensor<2xf32>> is not a tensor}}
  %y = ovseq.split %s : (!ovseq.sequence<tensor<2xf32>>) -> !ovseq.sequence<tensor<2xf32>>
  func.return
}

// -----

func.func @some(%x: f32) {
  // expected-error@+1 {{Unexpected attribute f32}}
  %y = ovseq.some %x : (f32) -> !ovseq.optional<tensor<2xf32>>
  func.return
}

// -----

func.func @none() {
  // expected-error@+1 {{Unexpected attribute f32}}
  %y = ovseq.none {value_type = f32} : !ovseq.optional<tensor<2xf32>>
  func.return
}
