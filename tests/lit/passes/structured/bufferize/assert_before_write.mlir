// RUN: loomir-opt %s -p bufferize | filecheck %s

// A value is computed straight into its slice, so what asserts that there is room comes before.
// CHECK-LABEL: func.func @main
// CHECK:      ^bb0(%i: index
// CHECK:        %ok = arith.cmpi slt, %i, %most : index
// CHECK-NEXT:   cf.assert %ok, "capacity: there is no room"
// CHECK:        linalg.generic
// CHECK-NOT:    cf.assert
func.func @main(%x: tensor<2xf32>, %n: index) -> (tensor<6xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %most = arith.constant 3 : index
  %acc = tensor.empty() : tensor<6xf32>
  %k, %r = scf.while (%i0 = %c0, %a0 = %acc) : (index, tensor<6xf32>) -> (index, tensor<6xf32>) {
    %go = arith.cmpi slt, %i0, %n : index
    scf.condition(%go) %i0, %a0 : index, tensor<6xf32>
  } do {
  ^bb0(%i: index, %a: tensor<6xf32>):
    %e = tensor.empty() : tensor<2xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
    ^bb1(%p: f32, %o: f32):
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    } -> tensor<2xf32>
    %ok = arith.cmpi slt, %i, %most : index
    cf.assert %ok, "capacity: there is no room"
    %where = arith.muli %i, %c2 : index
    %b = tensor.insert_slice %g into %a[%where] [2] [1] : tensor<2xf32> into tensor<6xf32>
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1, %b : index, tensor<6xf32>
  }
  func.return %r, %k : tensor<6xf32>, index
}
