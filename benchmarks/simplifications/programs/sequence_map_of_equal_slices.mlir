func.func @main(%x: tensor<65x4xf32>) -> tensor<65x4xf32> {
  %parts = ovseq.split %x {axis = 0 : i64, keepdims = false} : (tensor<65x4xf32>) -> !ovseq.sequence<tensor<4xf32>>
  %empty = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %trips = ov.constant dense<65> : tensor<i64> : tensor<i64>
  %out = ov.loop trip(%trips) carried(%empty) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>) -> !ovseq.sequence<tensor<4xf32>> {
  ^bb0(%i: tensor<i64>, %s: !ovseq.sequence<tensor<4xf32>>):
    %e = ovseq.at %parts, %i : (!ovseq.sequence<tensor<4xf32>>, tensor<i64>) -> tensor<4xf32>
    %t = ov.tanh %e : (tensor<4xf32>) -> tensor<4xf32>
    %w = ovseq.insert %s, %t : (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) -> !ovseq.sequence<tensor<4xf32>>
    ov.next carried(%w : !ovseq.sequence<tensor<4xf32>>)
  }
  %all = ovseq.concat %out {axis = 0 : i64, new_axis = true} : (!ovseq.sequence<tensor<4xf32>>) -> tensor<65x4xf32>
  func.return %all : tensor<65x4xf32>
}

// -----

// Each element is multiplied with what was made of the one before.
func.func @main(%x: tensor<65x4xf32>, %a: tensor<4xf32>) -> tensor<65x4xf32> {
  %parts = ovseq.split %x {axis = 0 : i64, keepdims = false} : (tensor<65x4xf32>) -> !ovseq.sequence<tensor<4xf32>>
  %empty = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %trips = ov.constant dense<65> : tensor<i64> : tensor<i64>
  %out, %v_end = ov.loop trip(%trips) carried(%empty, %a) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>, tensor<4xf32>) -> (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: !ovseq.sequence<tensor<4xf32>>, %v: tensor<4xf32>):
    %e = ovseq.at %parts, %i : (!ovseq.sequence<tensor<4xf32>>, tensor<i64>) -> tensor<4xf32>
    %m = ov.multiply %e, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %t = ov.tanh %m : (tensor<4xf32>) -> tensor<4xf32>
    %w = ovseq.insert %s, %t : (!ovseq.sequence<tensor<4xf32>>, tensor<4xf32>) -> !ovseq.sequence<tensor<4xf32>>
    ov.next carried(%w, %t : !ovseq.sequence<tensor<4xf32>>, tensor<4xf32>)
  }
  %all = ovseq.concat %out {axis = 0 : i64, new_axis = true} : (!ovseq.sequence<tensor<4xf32>>) -> tensor<65x4xf32>
  func.return %all : tensor<65x4xf32>
}
