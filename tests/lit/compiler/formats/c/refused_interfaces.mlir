// What text says of main's arguments is checked before C is made of them.
// RUN: loomir-opt %s --verify-diagnostics --split-input-file -t c -o /dev/null

// An argument without a role is an input.
func.func @main(%x: memref<1xf32>, %y: memref<1xf32> {loomir.name = "y", loomir.role = "output"}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %y[%c0] : memref<1xf32>
  // expected-error @below {{memref.store: writes an input or a constant [not-of-stage]}}
  memref.store %v, %x[%c0] : memref<1xf32>
  func.return
}

// -----

// expected-error @below {{more than one arena [not-of-stage]}}
func.func @main(%y: memref<1xi8> {loomir.role = "output"}, %a: memref<4xi8> {loomir.role = "arena"}, %b: memref<4xi8> {loomir.role = "arena"}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %b[%c0] : memref<4xi8>
  memref.store %v, %y[%c0] : memref<1xi8>
  func.return
}

// -----

// expected-error @below {{loomir.role of argument 1 must be "input" or "output", since it is not a memref<…xi8> [bad-interface]}}
func.func @main(%y: memref<1xf32> {loomir.role = "output"}, %a: f32 {loomir.role = "arena"}) {
  %c0 = arith.constant 0 : index
  memref.store %a, %y[%c0] : memref<1xf32>
  func.return
}

// -----

// expected-error @below {{loomir.role of argument 1 must be "input", since it is not a buffer [bad-interface]}}
func.func @main(%y: memref<1xf32> {loomir.role = "output"}, %a: f32 {loomir.role = "output"}) {
  %c0 = arith.constant 0 : index
  memref.store %a, %y[%c0] : memref<1xf32>
  func.return
}
