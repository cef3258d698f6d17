// RUN: not loomir-opt %s -p convert-ov-to-linalg 2>&1 | filecheck %s

// CHECK: 'probabilities' (ov.softmax): ov.softmax has no lowering [no-lowering]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.softmax %x {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32> loc("probabilities")
  func.return %r : tensor<2xf32>
}
