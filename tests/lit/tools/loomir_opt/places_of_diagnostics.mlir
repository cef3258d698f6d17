// Lines by number, at any line, and where an operation has no place.
// RUN: loomir-opt %s --verify-diagnostics --split-input-file -o /dev/null

// expected-error@8 {{value %y is used but not defined}}
// expected-note@* {{so is %w}}
func.func @undefined(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note@+1 {{so is %v}}
  %z = ov.concat %y, %w, %v {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  func.return %x : tensor<2xf32>
}

// -----

// expected-error@* {{Operation ov.tanhh is not registered}}
func.func @unregistered(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = ov.tanhh %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// expected-error@unknown {{contradicts the inferred}}
func.func @elsewhere(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "ov.tanh"(%x) : (tensor<2xf32>) -> tensor<3xf32> loc("elsewhere.py":3:1)
  func.return %x : tensor<2xf32>
}
