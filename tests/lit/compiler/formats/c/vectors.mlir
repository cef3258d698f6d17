// RUN: loomir-opt %s -t "c{file=source}" | filecheck %s

// Vectors are GNU vectors, each a variable; their types are defined where they are used, and other compilers are told.

// CHECK:      #if !defined(__GNUC__)
// CHECK-NEXT: #error "this file uses vectors of GNU C: compile it with gcc or clang, or emit it with machine=generic"
// CHECK-NEXT: #endif
// CHECK:      #ifndef LOOMIR_F32X4
// CHECK:      typedef float loomir_f32x4 __attribute__((vector_size(16)));
// CHECK:      typedef float loomir_f32x4u __attribute__((vector_size(16), aligned(4), may_alias));
// CHECK-NOT:  typedef
// CHECK:      loomir_f32x4 sum = zero;
// CHECK-NEXT: for (ptrdiff_t i = 0; i < 16; i += 4) {
// CHECK-NEXT:     const loomir_f32x4 v = *(const loomir_f32x4u *)&x[i];
// CHECK-NEXT:     float lanes[4];
// CHECK-NEXT:     LOOMIR_LANES for (int lane = 0; lane < 4; ++lane) {
// CHECK-NEXT:         lanes[lane] = fmaf(v[lane], a, sum[lane]);
// CHECK-NEXT:     }
// CHECK-NEXT:     const loomir_f32x4 w = *(const loomir_f32x4u *)lanes;
// CHECK-NEXT:     const loomir_f32x4 u = w + v;
// CHECK-NEXT:     *(loomir_f32x4u *)&y[i] = u;
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
