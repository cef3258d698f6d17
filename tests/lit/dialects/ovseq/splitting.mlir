// RUN: loomir-opt %s | filecheck %s
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s

func.func @f0(%x: tensor<7x2xf32>, %k: tensor<i64>, %v: tensor<3xi32>) {
  // CHECK-LABEL: @f0
  // CHECK: %a = ovseq.split %x : (tensor<7x2xf32>) -> !ovseq.sequence<tensor<1x2xf32>>
  %a = ovseq.split %x : (tensor<7x2xf32>) -> !ovseq.sequence<tensor<1x2xf32>>
  // CHECK: %b = ovseq.split %x {axis = -1 : i64, keepdims = false} : (tensor<7x2xf32>) -> !ovseq.sequence<tensor<7xf32>>
  %b = ovseq.split %x {axis = -1 : i64, keepdims = false} : (tensor<7x2xf32>) -> !ovseq.sequence<tensor<7xf32>>
  // CHECK: %c = ovseq.split %x, %k : (tensor<7x2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?x2xf32>>
  %c = ovseq.split %x, %k : (tensor<7x2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?x2xf32>>
  // CHECK: %d = ovseq.split %x, %v : (tensor<7x2xf32>, tensor<3xi32>) -> !ovseq.sequence<tensor<?x2xf32>>
  %d = ovseq.split %x, %v : (tensor<7x2xf32>, tensor<3xi32>) -> !ovseq.sequence<tensor<?x2xf32>>
  // CHECK: %e = ovseq.concat %c : (!ovseq.sequence<tensor<?x2xf32>>) -> tensor<?x2xf32>
  %e = ovseq.concat %c : (!ovseq.sequence<tensor<?x2xf32>>) -> tensor<?x2xf32>
  // CHECK: %f = ovseq.concat %b {axis = 1 : i64, new_axis = true} : (!ovseq.sequence<tensor<7xf32>>) -> tensor<7x?xf32>
  %f = ovseq.concat %b {axis = 1 : i64, new_axis = true} : (!ovseq.sequence<tensor<7xf32>>) -> tensor<7x?xf32>
  func.return
}
