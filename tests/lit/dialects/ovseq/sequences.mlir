// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%a: tensor<2x3xf32>, %b: tensor<4xf32>, %p: tensor<i64>, %q: tensor<1xi32>) {
  // CHECK-LABEL: @f0
  // CHECK: %e = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %e = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  // CHECK: %c = ovseq.construct %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> !ovseq.sequence<tensor<*xf32>>
  %c = ovseq.construct %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> !ovseq.sequence<tensor<*xf32>>
  // CHECK: %i = ovseq.insert %e, %a : (!ovseq.sequence<tensor<*xf32>>, tensor<2x3xf32>) -> !ovseq.sequence<tensor<2x3xf32>>
  %i = ovseq.insert %e, %a : (!ovseq.sequence<tensor<*xf32>>, tensor<2x3xf32>) -> !ovseq.sequence<tensor<2x3xf32>>
  // CHECK: %j = ovseq.insert %i, %a, %p : (!ovseq.sequence<tensor<2x3xf32>>, tensor<2x3xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2x3xf32>>
  %j = ovseq.insert %i, %a, %p : (!ovseq.sequence<tensor<2x3xf32>>, tensor<2x3xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2x3xf32>>
  // CHECK: %k = ovseq.erase %j : (!ovseq.sequence<tensor<2x3xf32>>) -> !ovseq.sequence<tensor<2x3xf32>>
  %k = ovseq.erase %j : (!ovseq.sequence<tensor<2x3xf32>>) -> !ovseq.sequence<tensor<2x3xf32>>
  // CHECK: %l = ovseq.erase %k, %q : (!ovseq.sequence<tensor<2x3xf32>>, tensor<1xi32>) -> !ovseq.sequence<tensor<2x3xf32>>
  %l = ovseq.erase %k, %q : (!ovseq.sequence<tensor<2x3xf32>>, tensor<1xi32>) -> !ovseq.sequence<tensor<2x3xf32>>
  // CHECK: %x = ovseq.at %l, %p : (!ovseq.sequence<tensor<2x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
  %x = ovseq.at %l, %p : (!ovseq.sequence<tensor<2x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
  // CHECK: %n = ovseq.length %l : (!ovseq.sequence<tensor<2x3xf32>>) -> tensor<i64>
  %n = ovseq.length %l : (!ovseq.sequence<tensor<2x3xf32>>) -> tensor<i64>
  func.return
}

// Loops carry sequences and optionals, branches give them.
func.func @f1(%s: !ovseq.sequence<tensor<?xf32>>, %o: !ovseq.optional<tensor<2xf32>>, %n: tensor<i64>, %c: tensor<i1>) -> !ovseq.sequence<tensor<?xf32>> {
  // CHECK-LABEL: @f1
  // CHECK: ov.loop trip(%n) carried(%s, %o) : (tensor<i64>, !ovseq.sequence<tensor<?xf32>>, !ovseq.optional<tensor<2xf32>>) -> (!ovseq.sequence<tensor<?xf32>>, !ovseq.optional<tensor<2xf32>>)
  %l, %q = ov.loop trip(%n) carried(%s, %o) : (tensor<i64>, !ovseq.sequence<tensor<?xf32>>, !ovseq.optional<tensor<2xf32>>) -> (!ovseq.sequence<tensor<?xf32>>, !ovseq.optional<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %a: !ovseq.sequence<tensor<?xf32>>, %b: !ovseq.optional<tensor<2xf32>>):
    // CHECK: ov.if %c -> (!ovseq.sequence<tensor<?xf32>>)
    %r = ov.if %c -> (!ovseq.sequence<tensor<?xf32>>) {
      ov.yield %a : !ovseq.sequence<tensor<?xf32>>
    } else {
      ov.yield %s : !ovseq.sequence<tensor<?xf32>>
    }
    ov.next carried(%r, %b : !ovseq.sequence<tensor<?xf32>>, !ovseq.optional<tensor<2xf32>>)
  }
  func.return %l : !ovseq.sequence<tensor<?xf32>>
}
