// RUN: loomir-opt %s --verify-diagnostics --split-input-file

func.func @v0() {
  // expected-error@+1 {{seq.construct has no operands: ovseq.empty has none [sequence-operands]}}
  %s = ovseq.construct : () -> !ovseq.sequence<tensor<*xf32>>
  func.return
}

// -----

func.func @v1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{element 1 has elements of type i32, but element 0 of f32 [element-types-differ]}}
  %s = ovseq.construct %a, %b : (tensor<2xf32>, tensor<2xi32>) -> !ovseq.sequence<tensor<2xf32>>
  func.return
}

// -----

func.func @v2(%s: !ovseq.sequence<tensor<2xf32>>, %a: tensor<2xi32>) {
  // expected-error@+1 {{the tensor has elements of type i32, but the sequence of f32 [element-types-differ]}}
  %t = ovseq.insert %s, %a : (!ovseq.sequence<tensor<2xf32>>, tensor<2xi32>) -> !ovseq.sequence<tensor<2xf32>>
  func.return
}

// -----

func.func @v3(%s: !ovseq.sequence<tensor<2xf32>>, %p: tensor<f32>) {
  // expected-error@+1 {{the position must be an integer tensor, but its elements are f32 [element-type]}}
  %t = ovseq.at %s, %p : (!ovseq.sequence<tensor<2xf32>>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @v4(%s: !ovseq.sequence<tensor<2xf32>>, %p: tensor<2xi64>) {
  // expected-error@+1 {{the position must be one number, not 2 [operand-rank]}}
  %t = ovseq.erase %s, %p : (!ovseq.sequence<tensor<2xf32>>, tensor<2xi64>) -> !ovseq.sequence<tensor<2xf32>>
  func.return
}

// -----

func.func @v5(%s: !ovseq.sequence<tensor<2xf32>>, %p: tensor<i64>) {
  // expected-error@+1 {{result 0 has type tensor<3xf32>, which contradicts the inferred tensor<2xf32>}}
  %t = ovseq.at %s, %p : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<3xf32>
  func.return
}

// -----

func.func @v6(%s: !ovseq.sequence<tensor<2xf32>>) {
  // expected-error@+1 {{result 0 has type tensor<i32>, inference says tensor<i64>}}
  %t = ovseq.length %s : (!ovseq.sequence<tensor<2xf32>>) -> tensor<i32>
  func.return
}

// -----

func.func @v7(%s: !ovseq.sequence<tensor<2xf32>>, %n: tensor<i64>) {
  // expected-error@+1 {{carried value 0 has types of two kinds: tensor of f32 and sequence of tensor of f32}}
  %l = ov.loop trip(%n) carried(%s) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %a: !ovseq.sequence<tensor<2xf32>>):
    ov.next carried(%a : !ovseq.sequence<tensor<2xf32>>)
  }
  func.return
}

// -----

func.func @v8(%s: !ovseq.sequence<tensor<2xf32>>, %n: tensor<i64>) {
  // expected-error@+1 {{concat value 0 is not a tensor}}
  %l = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> !ovseq.sequence<tensor<2xf32>> {
  ^bb0(%i: tensor<i64>):
    ov.next concat(%s : !ovseq.sequence<tensor<2xf32>>)
  }
  func.return
}
