// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%a: tensor<2x5xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{[concat-shape]}}
  %0 = ov.concat %a, %b {axis = 0 : i64} : (tensor<2x5xf32>, tensor<2x4xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @f1(%a: tensor<2xf32>) {
  %r = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  // expected-error@+1 {{[tile-repeats]}}
  %0 = ov.tile %a, %r : (tensor<2xf32>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}
