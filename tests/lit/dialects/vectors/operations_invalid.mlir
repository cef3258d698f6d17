// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @lengths(%x: vector<8xf32>) {
  // expected-error@+1 {{operands and results must have the same shape}}
  %y = "arith.fptosi"(%x) : (vector<8xf32>) -> vector<4xi32>
  func.return
}

// -----

func.func @mask(%m: vector<4xi1>, %x: vector<8xf32>) {
  // expected-error@+1 {{operands and results must have the same shape}}
  %y = "arith.select"(%m, %x, %x) : (vector<4xi1>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  func.return
}

// -----

func.func @narrower(%x: vector<8xi8>) {
  // expected-error@+1 {{Destination bit-width must be smaller than the input bit-width}}
  %y = arith.trunci %x : vector<8xi8> to vector<8xi32>
  func.return
}
