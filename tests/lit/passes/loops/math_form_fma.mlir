// RUN: loomir-opt %s -p 'math-form-fma{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p 'math-form-fma{machine=x86-64}' | filecheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: math.fma
builtin.module {
  // CHECK-LABEL: func.func @vectors
  // CHECK-NEXT: %s = math.fma %a, %b, %c : vector<8xf32>
  // CHECK-NEXT: func.return %s
  func.func @vectors(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
    %m = arith.mulf %a, %b : vector<8xf32>
    %s = arith.addf %c, %m : vector<8xf32>
    func.return %s : vector<8xf32>
  }
  // Of two products the second one.
  // CHECK-LABEL: func.func @numbers
  // CHECK-NEXT: %m = arith.mulf %a, %b : f64
  // CHECK-NEXT: math.fma %c, %c, %m : f64
  func.func @numbers(%a: f64, %b: f64, %c: f64) -> f64 {
    %m = arith.mulf %a, %b : f64
    %n = arith.mulf %c, %c : f64
    %s = arith.addf %m, %n : f64
    func.return %s : f64
  }
  // A product with another use is computed in any case; one from outside of a loop is computed once; 16 bits have no such instruction.
  // CHECK-LABEL: func.func @others
  // CHECK-NOT: math.fma
  // CHECK: func.return
  func.func @others(%a: f32, %h: f16, %n: index) -> (f32, f32, f16) {
    %m = arith.mulf %a, %a : f32
    %s = arith.addf %m, %a : f32
    %t = arith.mulf %s, %m : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = arith.mulf %a, %t : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> (f32) {
      %x = arith.addf %acc, %p : f32
      scf.yield %x : f32
    }
    %k = arith.mulf %h, %h : f16
    %l = arith.addf %k, %h : f16
    func.return %s, %r, %l : f32, f32, f16
  }
}
