// RUN: loomir-opt %s -p convert-ov-loop-to-scf | filecheck %s

// Branches of different extents meet in a capacity tensor.
// CHECK-LABEL: func.func @extents(%c: i1 {loomir.type = tensor<i1>}, %a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<3xf32> {loomir.type = tensor<?xf32>, loomir.name = "result0", loomir.bounds = [3 : i64]}, index {loomir.dim = "result0:0"})
// CHECK: %r, %[[N:.*]] = scf.if %c -> (tensor<3xf32>, index) {
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<3xf32>
// CHECK-NEXT: %[[F:.*]] = tensor.insert_slice %a into %[[E]][0] [2] [1] : tensor<2xf32> into tensor<3xf32>
// CHECK-NEXT: scf.yield %[[F]], %{{.*}} : tensor<3xf32>, index
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %b, %{{.*}} : tensor<3xf32>, index
// CHECK: func.return %r, %[[N]] : tensor<3xf32>, index
func.func @extents(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<?xf32, #ov.bounds<3>> {
  %r = ov.if %c -> (tensor<?xf32, #ov.bounds<3>>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %b : tensor<3xf32>
  }
  func.return %r : tensor<?xf32, #ov.bounds<3>>
}

// A known condition leaves one branch.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.if
// CHECK: func.return %b : tensor<3xf32>
func.func @known(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r = ov.if %false -> (tensor<3xf32>) {
    ov.yield %a : tensor<3xf32>
  } else {
    ov.yield %b : tensor<3xf32>
  }
  func.return %r : tensor<3xf32>
}

// A dynamic unsigned input: flat, signless, with its extent behind it, checked at the entry.
// CHECK-LABEL: func.func @input
// CHECK-SAME: (%x: tensor<15xi8> {loomir.name = "x", loomir.type = tensor<?x3xui8>, loomir.bounds = [5 : i64, 3 : i64]}, %[[N:.*]]: index {loomir.dim = "x:0"})
// CHECK: %[[OK:.*]] = arith.cmpi ule, %[[N]], %{{.*}} : index
// CHECK-NEXT: cf.assert %[[OK]], "capacity: dimension 0 of input 'x' is larger than 5"
// CHECK: %[[FLAT:.*]] = tensor.extract_slice %x[0] [%{{.*}}] [1] : tensor<15xi8> to tensor<?xi8>
// CHECK-NEXT: %[[TRUE:.*]] = tensor.expand_shape %[[FLAT]] {{.*}} output_shape [%[[N]], 3] {{.*}} : tensor<?xi8> into tensor<?x3xi8>
// CHECK-NEXT: %[[UI:.*]] = builtin.unrealized_conversion_cast %[[TRUE]] : tensor<?x3xi8> to tensor<?x3xui8>
// CHECK-NEXT: ov.add %[[UI]], %[[UI]]
func.func @input(%x: tensor<?x3xui8> {loomir.name = "x", loomir.bounds = [5, 3]}) -> tensor<?x3xui8, #ov.bounds<5, ?>> {
  %y = ov.add %x, %x : (tensor<?x3xui8>, tensor<?x3xui8>) -> tensor<?x3xui8, #ov.bounds<5, ?>>
  func.return %y : tensor<?x3xui8, #ov.bounds<5, ?>>
}
