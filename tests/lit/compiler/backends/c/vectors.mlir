// RUN: loomir-opt %s -t "c{file=source}" | filecheck %s

// Vectors are GNU vectors, each a variable; their types are defined where they are used, and other compilers are told.

// CHECK:      #if !defined(__GNUC__)
// CHECK-NEXT: #error "this file uses vectors of GNU C: compile it with gcc or clang, or emit it with machine=generic"
// CHECK-NEXT: #endif
// CHECK-NEXT: #include "axpy.h"
// CHECK:      typedef float loomir_f32x4 __attribute__((vector_size(16)));
// CHECK-NEXT: typedef float loomir_f32x4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));
// CHECK-NOT:  typedef
// CHECK:      const loomir_f32x4 b = {a, a, a, a};
// CHECK-NEXT: loomir_f32x4 sum = zero;
// CHECK-NEXT: for (ptrdiff_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:     const loomir_f32x4 v = *(const loomir_f32x4_unaligned *)&x[i];
// CHECK-NEXT:     const loomir_f32x4 w = {
// CHECK-NEXT:         fmaf(v[0], b[0], sum[0]), fmaf(v[1], b[1], sum[1]), fmaf(v[2], b[2], sum[2]),
// CHECK-NEXT:         fmaf(v[3], b[3], sum[3]),
// CHECK-NEXT:     };
// CHECK-NEXT:     const loomir_f32x4 u = w + v;
// CHECK-NEXT:     *(loomir_f32x4_unaligned *)&y[i] = u;
// CHECK-NEXT:     sum = w;
// CHECK-NEXT: }
builtin.module attributes {loomir.name = "axpy"} {
  func.func @main(%a: f32 {loomir.name = "a"}, %x: memref<16xf32> {loomir.name = "x"},
      %y: memref<16xf32> {loomir.name = "y", loomir.role = "output"}) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %b = vector.broadcast %a : f32 to vector<4xf32>
    %r = scf.for %i = %c0 to %c16 step %c4 iter_args(%sum = %zero) -> (vector<4xf32>) {
      %v = vector.load %x[%i] : memref<16xf32>, vector<4xf32>
      %w = math.fma %v, %b, %sum : vector<4xf32>
      %u = arith.addf %w, %v : vector<4xf32>
      vector.store %u, %y[%i] : memref<16xf32>, vector<4xf32>
      scf.yield %w : vector<4xf32>
    }
    func.return
  }
}
