// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @ragged(%x: memref<4x6xi8>) {
  // expected-error@+1 {{memref<4x6xi8>: i8 rows of quads must have 4 · n elements and no layout}}
  %q = quads.view %x : memref<4x6xi8> to memref<4x1xi32>
  func.return
}

// -----

func.func @other_shape(%x: memref<4x8xi8>) {
  // expected-error@+1 {{the view of memref<4x8xi8> has type memref<4x2xi32>, not memref<8xi32>}}
  %q = quads.view %x : memref<4x8xi8> to memref<8xi32>
  func.return
}

// -----

func.func @no_byte(%x: i32) {
  // expected-error@+1 {{zero = 200: it must be a byte, -128 … 127}}
  %y = quads.dot %x, %x, %x {zero = 200 : i32} : i32
  func.return
}

// -----

func.func @no_unsigned_byte(%x: i32) {
  // expected-error@+1 {{zero = -1: it must be a byte, 0 … 255}}
  %y = quads.dot %x, %x, %x {zero = -1 : i32, unsigned} : i32
  func.return
}

// -----

func.func @wide(%x: vector<4xi64>) {
  // expected-error@+1 {{vector<4xi64>: quads are 32-bit integers}}
  %y = quads.dot %x, %x, %x {zero = 0 : i32} : vector<4xi64>
  func.return
}
