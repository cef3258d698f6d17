// RUN: loomir-opt %s -t c | filecheck %s
// RUN: loomir-opt %s -t "c{file=source weights=pointer}" | filecheck %s --check-prefix POINTER

// A matrix product with weights: one accumulator in a register, expressions folded into the subscripts, the
// names of the program kept.

// CHECK:      // ---- dense.h
// CHECK:      #define DENSE_ARENA_BYTES 0
// CHECK:      #define DENSE_WEIGHT_BYTES 24
// CHECK:      dense_status dense_run(
// CHECK-NEXT:     const float *input /* [4,3] */,
// CHECK-NEXT:     float *out_put /* out/put: [4,2] */,
// CHECK-NEXT:     void *arena);

// CHECK:      // ---- dense.c
// CHECK:      static const float dense_w0[6] = {
// CHECK-NEXT:     1.0f, 2.5f, 3.0f, 4.0f, 5.0f, 0.1f
// CHECK-NEXT: };
// CHECK:      dense_status dense_run(const float *restrict input, float *restrict out_put, void *restrict arena)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)arena;
// CHECK-NEXT:     for (ptrdiff_t i = 0; i < 4; ++i) {
// CHECK-NEXT:         for (ptrdiff_t j = 0; j < 2; ++j) {
// CHECK-NEXT:             float acc = 0.0f;
// CHECK-NEXT:             for (ptrdiff_t k = 0; k < 3; ++k) {
// CHECK-NEXT:                 acc = acc + input[i * 3 + k] * dense_w0[k * 2 + j];
// CHECK-NEXT:             }
// CHECK-NEXT:             out_put[i * 2 + j] = acc <= 0.0f ? 0.0f : acc;
// CHECK-NEXT:         }
// CHECK-NEXT:     }
// CHECK-NEXT:     return DENSE_OK;
// CHECK-NEXT: }

// POINTER-NOT: static const
// POINTER:      dense_status dense_run(
// POINTER-NEXT:     const float *restrict input,
// POINTER-NEXT:     float *restrict out_put,
// POINTER-NEXT:     const float *restrict w0,
// POINTER-NEXT:     void *restrict arena)
// POINTER:     acc = acc + input[i * 3 + k] * w0[k * 2 + j];

builtin.module attributes {loomir.name = "dense"} {
  func.func @main(%x: memref<4x3xf32> {loomir.name = "input", loomir.role = "input"},
      %w: memref<3x2xf32> {loomir.blob = dense<[[1.0, 2.5], [3.0, 4.0], [5.0, 0.1]]> : tensor<3x2xf32>},
      %y: memref<4x2xf32> {loomir.name = "out/put", loomir.role = "output"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f32) {
          %a = memref.load %x[%i, %k] : memref<4x3xf32>
          %b = memref.load %w[%k, %j] : memref<3x2xf32>
          %p = arith.mulf %a, %b : f32
          %q = arith.addf %acc, %p : f32
          scf.yield %q : f32
        }
        %r = arith.maximumf %sum, %zero : f32
        memref.store %r, %y[%i, %j] : memref<4x2xf32>
      }
    }
    func.return
  }
}
