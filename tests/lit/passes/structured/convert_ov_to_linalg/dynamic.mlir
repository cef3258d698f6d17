// RUN: loomir-opt %s -p ov-bound-shapes,convert-ov-loop-to-scf,convert-ov-to-linalg | filecheck %s

// Whether a `?` is 1 is seen when the program runs: the operand's index is multiplied by 0 or 1.
// CHECK-LABEL: @main
// CHECK:       cf.assert %{{.*}}, "shape: operands do not broadcast"
// CHECK:       %[[MANY:[0-9a-z]+]] = arith.cmpi ne
// CHECK-NEXT:  %[[FACTOR:[0-9a-z]+]] = arith.select %[[MANY]]
// CHECK:       linalg.generic
// CHECK-SAME:    affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>
// CHECK:         %[[I:[0-9a-z]+]] = linalg.index 0
// CHECK:         arith.muli %[[I]], %[[FACTOR]]
// CHECK:         tensor.extract
func.func @main(
    %x: tensor<4x3xf32> {loomir.name = "x"},
    %y: tensor<?x3xf32> {loomir.name = "y", loomir.bounds = [4 : i64, 3 : i64]}
) -> (tensor<4x3xf32> {loomir.name = "r"}) {
  %r = ov.add %x, %y : (tensor<4x3xf32>, tensor<?x3xf32>) -> tensor<4x3xf32>
  func.return %r : tensor<4x3xf32>
}
