// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @f0(%x: tensor<2xi1>) {
  // expected-error@+1 {{[element-type]}}
  %r = ov.abs %x : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f1(%x: tensor<2xf32>) {
  // expected-error@+1 {{contradicts}}
  %r = ov.exp %x : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f2(%x: tensor<2xf32>) {
  // expected-error@+1 {{has element type f64}}
  %r = ov.tanh %x : (tensor<2xf32>) -> tensor<2xf64>
  func.return
}

// -----

func.func @f3(%x: tensor<2xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.clamp %x {min = 2.0 : f64, max = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f4(%x: tensor<2xf32>) {
  // expected-error@+1 {{max}}
  %r = ov.clamp %x {min = 2.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f5(%a: tensor<2x?xf32>) {
  // expected-error@+1 {{[attribute-value]}}
  %r = ov.round %a {mode = "up"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return
}
