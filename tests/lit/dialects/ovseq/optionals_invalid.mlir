// RUN: loomir-opt %s --verify-diagnostics --split-input-file

func.func @v0(%x: !ovseq.optional<tensor<2xf32>>) {
  // expected-error@+1 {{an optional holds a tensor or a sequence, not !ovseq.optional<tensor<2xf32>> [optional-of-optional]}}
  %a = ovseq.some %x : (!ovseq.optional<tensor<2xf32>>) -> !ovseq.optional<tensor<2xf32>>
  func.return
}

// -----

func.func @v1() {
  // expected-error@+1 {{an optional holds a tensor or a sequence, not !ovseq.optional<tensor<2xf32>> [optional-of-optional]}}
  %a = ovseq.none {value_type = !ovseq.optional<tensor<2xf32>>} : !ovseq.optional<tensor<2xf32>>
  func.return
}

// -----

func.func @v2(%o: !ovseq.optional<tensor<2xf32>>) {
  // expected-error@+1 {{result 0 has type tensor<2xi32>, inference says tensor<2xf32>}}
  %a = ovseq.get %o : (!ovseq.optional<tensor<2xf32>>) -> tensor<2xi32>
  func.return
}

// -----

func.func @v3(%o: !ovseq.optional<tensor<2xf32>>, %s: !ovseq.sequence<tensor<2xf32>>, %c: tensor<i1>) {
  // expected-error@+1 {{else region's value 0 has types of two kinds: optional tensor of f32 and sequence of tensor of f32}}
  %a = ov.if %c -> (!ovseq.optional<tensor<2xf32>>) {
    ov.yield %o : !ovseq.optional<tensor<2xf32>>
  } else {
    ov.yield %s : !ovseq.sequence<tensor<2xf32>>
  }
  func.return
}
