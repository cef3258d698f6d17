// RUN: loomir-opt %s -p convert-ov-to-linalg --split-input-file --verify-diagnostics

// expected-error @below {{func.func: a region has an argument of type tensor<?xf32> [not-of-stage]}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = ov.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// expected-error @below {{func.func: a region has an argument of type tensor<i64> [not-of-stage]}}
func.func @main(%x: tensor<2xi64>, %n: tensor<i64>) -> tensor<2xi64> {
  %r = ov.add %x, %n : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  func.return %r : tensor<2xi64>
}

// -----

// expected-error @below {{func.func: a region has an argument of type tensor<2xui8> [not-of-stage]}}
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %r = ov.add %x, %x : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  func.return %r : tensor<2xui8>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{a region has an argument of type tensor<i64> [not-of-stage]}}
  %r = ov.loop carried(%x) : (tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    ov.next carried(%a : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}
