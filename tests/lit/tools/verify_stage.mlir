// RUN: loomir-opt %s --verify-stage loops --verify-diagnostics

// expected-error@+1 {{func.func: a value of type tensor<2xf32> in the loops stage [not-of-stage]}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
