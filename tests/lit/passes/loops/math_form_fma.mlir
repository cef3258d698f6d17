// RUN: loomir-opt %s -p 'math-form-fma{machine="x86-64-v3"}' | filecheck %s
// RUN: loomir-opt %s -p math-form-fma | filecheck %s --check-prefix=GENERIC
// RUN: loomir-opt %s -p 'math-form-fma{machine="x86-64"}' | filecheck %s --check-prefix=GENERIC

// GENERIC-NOT: math.fma
builtin.module {
  // CHECK-LABEL: func.func @products(
  func.func @products(%a: f32, %b: f32, %acc: f32, %d: f64, %v: vector<8xf32>, %h: f16, %t: vector<2x4xf32>) -> (f32, f64, vector<8xf32>, f32) {
    // CHECK-NEXT: %[[S:.*]] = math.fma %a, %b, %acc : f32
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    // CHECK-NEXT: math.fma %d, %d, %d : f64
    %n = arith.mulf %d, %d : f64
    %r = arith.addf %n, %d : f64
    // CHECK-NEXT: math.fma %v, %v, %v : vector<8xf32>
    %o = arith.mulf %v, %v : vector<8xf32>
    %u = arith.addf %o, %v : vector<8xf32>
    // Of two products the later one.
    // CHECK-NEXT: %[[P:.*]] = arith.mulf %a, %acc : f32
    // CHECK-NEXT: math.fma %b, %acc, %[[P]] : f32
    %p = arith.mulf %a, %acc : f32
    %q = arith.mulf %b, %acc : f32
    %w = arith.addf %q, %p : f32
    func.return %s, %r, %u, %w : f32, f64, vector<8xf32>, f32
  }

  // A second use, the square of a product's double, types without the instruction.
  // CHECK-LABEL: func.func @others(
  // CHECK-NOT: math.fma
  func.func @others(%a: f32, %h: f16, %t: vector<2x4xf32>) -> (f32, f32, f32, f16, vector<2x4xf32>) {
    %m = arith.mulf %a, %a : f32
    %s = arith.addf %m, %a : f32
    %n = arith.mulf %a, %s : f32
    %e = arith.addf %n, %n : f32
    %i = arith.mulf %h, %h : f16
    %j = arith.addf %i, %h : f16
    %k = arith.mulf %t, %t : vector<2x4xf32>
    %l = arith.addf %k, %t : vector<2x4xf32>
    func.return %m, %s, %e, %j, %l : f32, f32, f32, f16, vector<2x4xf32>
  }
}
