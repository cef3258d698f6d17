// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%x: tensor<2xf32>, %s: !ovseq.sequence<tensor<?xf32>>) {
  // CHECK-LABEL: @f0
  // CHECK: %a = ovseq.some %x : (tensor<2xf32>) -> !ovseq.optional<tensor<2xf32>>
  %a = ovseq.some %x : (tensor<2xf32>) -> !ovseq.optional<tensor<2xf32>>
  // CHECK: %b = ovseq.some %s : (!ovseq.sequence<tensor<?xf32>>) -> !ovseq.optional<!ovseq.sequence<tensor<?xf32>>>
  %b = ovseq.some %s : (!ovseq.sequence<tensor<?xf32>>) -> !ovseq.optional<!ovseq.sequence<tensor<?xf32>>>
  // CHECK: %c = ovseq.none {value_type = tensor<*xi64>} : !ovseq.optional<tensor<*xi64>>
  %c = ovseq.none {value_type = tensor<*xi64>} : !ovseq.optional<tensor<*xi64>>
  // CHECK: %d = ovseq.has %b : (!ovseq.optional<!ovseq.sequence<tensor<?xf32>>>) -> tensor<i1>
  %d = ovseq.has %b : (!ovseq.optional<!ovseq.sequence<tensor<?xf32>>>) -> tensor<i1>
  // CHECK: %e = ovseq.get %b : (!ovseq.optional<!ovseq.sequence<tensor<?xf32>>>) -> !ovseq.sequence<tensor<?xf32>>
  %e = ovseq.get %b : (!ovseq.optional<!ovseq.sequence<tensor<?xf32>>>) -> !ovseq.sequence<tensor<?xf32>>
  func.return
}
