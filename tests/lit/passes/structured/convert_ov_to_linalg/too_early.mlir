// RUN: loomir-opt %s -p convert-ov-to-linalg --verify-diagnostics

// expected-error @below {{func.func: a region has an argument of type tensor<?xf32> [not-of-stage]}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = ov.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
