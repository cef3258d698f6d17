// RUN: loomir-opt %s -p 'ov-decompose{keep-refused=true}' | filecheck %s

// What a decomposition has to know, and does not, the graph engine knows when it runs.
// CHECK-LABEL: @of_an_axis
// CHECK-NEXT:   %a = ov.reverse %x, %axis {mode = "index"}
// CHECK-NOT:    ov.convert_like
// CHECK:        func.return
func.func @of_an_axis(%x: tensor<2x3xf32>, %axis: tensor<1xi64>, %like: tensor<f16>) -> tensor<2x3xf16> {
  %a = ov.reverse %x, %axis {mode = "index"} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  %b = ov.convert_like %a, %like : (tensor<2x3xf32>, tensor<f16>) -> tensor<2x3xf16>
  func.return %b : tensor<2x3xf16>
}

// Nothing is left of what was made before the refusal: that the blocks are right is asked first.
// CHECK-LABEL: @of_no_rank
// CHECK-SAME:    (%x: tensor<*xf32>, %b: tensor<4xi64>, %p: tensor<4xi64>)
// CHECK-NEXT:   %r = ov.space_to_batch %x, %b, %p, %p
// CHECK-NEXT:   func.return
func.func @of_no_rank(%x: tensor<*xf32>, %b: tensor<4xi64>, %p: tensor<4xi64>) -> tensor<*xf32> {
  %r = ov.space_to_batch %x, %b, %p, %p
      : (tensor<*xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<*xf32>
  func.return %r : tensor<*xf32>
}
